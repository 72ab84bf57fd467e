"""Tests of the parsers of other agents' chats, and of their way into a chat."""
