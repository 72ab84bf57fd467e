"""The agent: what writes the summaries, and what talks. It holds no rule of the memory."""
