"""Breaks of the files: of the laws, by the machine of a chat on disk; else of a rule, by a test that secures it."""

from __future__ import annotations

from stateful_tests.breaks.catalogue import OURS, broken, stored

CHAT, DAYS, CONTENTS, RECORDS = "store/chat.py", "store/days.py", "store/contents.py", "store/records.py"
LOCK, PREPARE, VIEW_FILE = "store/lock.py", "store/prepare.py", "store/view_file.py"

FAULTS = "test_faults.py::test_a_fault_at_every_operation_loses_nothing_acknowledged"
POWER = "test_power.py::test_a_power_cut_loses_nothing_acknowledged"
KILL = "test_kill.py::test_a_kill_at_every_operation_loses_nothing_acknowledged"
DISK = "machines/test_store_machine.py test_restart.py"
ASIDE = "test_torn.py::test_half_a_line_is_kept_byte_for_byte"
BAD_LINE = "test_bad_files.py::test_a_bad_line_is_named_and_nothing_is_written"
KEYS = "test_index.py::test_keys_are_found_after_a_reopen_and_after_a_crash"
DAY = "test_chat.py::test_files_are_split_by_the_local_day_of_the_write"
LOCKED = "test_two_processes.py::test_the_second_writer_is_told_who_the_first_is"
AGENT = "test_view_file.py::test_another_agents_name_reads_as_ours"

BREAKS = (
    stored("torn_tail_stays", "6", "half a line at a file's end is not cut off", f"{FAULTS} {POWER}",
           (DAYS, "            self._files.truncate(fd, day.size)\n", "")),
    stored("torn_tail_thrown_away", "6", "half a line is cut off and not kept aside", ASIDE,
           (DAYS, 'f"{self.folder.name}-{day.name}.{day.size}", self.torn)', 'f"{self.folder.name}-{day.name}", b"")')),
    stored("whole_line_dropped", "6", "a repair takes the last whole line too", f"{FAULTS} {POWER}",
           (DAYS, "self._add(name, size - len(torn))", "self._add(name, max(0, size - 2 * len(torn)))")),
    stored("message_not_synced", "g9", "an append returns before its message is durable", POWER,
           (DAYS, "            if sync:\n                self._files.sync(fd)\n", "")),
    stored("node_not_synced", "g9", "a summary returns before it is durable", POWER,
           (CHAT, "        if effects.built:\n            self._sync_tree()\n", "")),
    broken("batch_not_recorded", "a batch leaves no line in the tree", "restart_same_view",
           (CHAT, "            lines.append(batch_line(effects.batch))\n", "            pass\n"), by="store"),
    stored("empty_batch_not_recorded", "61", "a batch that merged nothing leaves no line", DISK,
           (CHAT, "        if effects.batch is not None:\n            lines.append",
            "        if effects.batch is not None and effects.batch.merged:\n            lines.append")),
    broken("flag_not_recorded", "a recorded batch does not say whether the view shrinks", "restart_same_view",
           (CHAT, "lines.append(batch_line(effects.batch))",
            "lines.append(batch_line(effects.batch._replace(shrinking=False)))"), by="store"),
    stored("folder_not_synced", "g9", "a new day's file can be lost with its lines", POWER,
           (DAYS, "            sync_folder(self._files, self.folder)\n            self._add(name, 0)\n",
            "            self._add(name, 0)\n")),
    stored("write_after_a_failure", "g9", "after a failed write the log takes more", FAULTS,
           (DAYS, "self.failure = error.strerror or str(error)\n", "self.failure = None\n"),
           (CHAT, "        if self._broken:\n            failure", "        if self._closed:\n            failure")),
    stored("first_nodes_left_out", "g5", "free nodes that a crash left out are not built again", f"{FAULTS} {KILL}",
           (CHAT, "        chat._build_left_out()\n", "")),
    stored("key_ignored", OURS, "an append with a key that is known logs again", KEYS,
           (CHAT, "known = self._keys.whole(item.key)", "known = None")),
    stored("key_not_logged", OURS, "a key is not written with its message", KEYS,
           (CHAT, "message_line(index, kind, text, date, key, images)",
            "message_line(index, kind, text, date, None, images)")),
    stored("gap_accepted", "2", "ids may leave a gap", BAD_LINE,
           (CONTENTS, "        if record.i != index:\n            kind =",
           "        if record.i < index:\n            kind =")),
    stored("repeat_accepted", "2", "an id may come twice", BAD_LINE,
           (CONTENTS, "        if record.i != index:\n            kind =",
           "        if record.i > index:\n            kind =")),
    stored("wrong_size_accepted", "g11", "a size that its text does not have is believed", BAD_LINE,
           (RECORDS, "    if size(text) != stated:\n", "    if stated < 0:\n")),
    stored("node_twice_accepted", "g7", "a node's second line replaces the first", BAD_LINE,
           (CONTENTS, "        if self._has(level, index):\n            raise",
            "        if level > 63:\n            raise")),
    stored("node_without_halves_accepted", "g7", "a node's line may come before its halves'", BAD_LINE,
           (CONTENTS, "        if level and not (self._has(", "        if level > 63 and not (self._has(")),
    stored("key_twice_accepted", "1", "one JSON object may hold a name twice", BAD_LINE,
           ("store/strictjson.py", "    if len(found) != len(pairs):\n", "    if len(found) > len(pairs):\n")),
    stored("lock_ignored", "7", "a second process may write", LOCKED,
           (LOCK, "fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)",
            "fcntl.flock(self._fd, fcntl.LOCK_SH | fcntl.LOCK_NB)")),
    stored("clock_gone_back_makes_an_old_file", "2", "a clock that goes back writes behind newer lines", DAY,
           (DAYS, "if self.days and self.days[-1].name >= name:", "if self.days and self.days[-1].name == name:")),
    stored("long_text_clipped", "10", "a long text that is no tool's loses its middle", "test_prepare.py",
           (PREPARE, 'return [clip(text)] if kind == "tool" else split(text)', "return [clip(text)]")),
    stored("long_text_trimmed", "10", "the pieces of a long text lose their outer blanks", "test_prepare.py",
           (PREPARE, "pieces.append(text[start:end])", "pieces.append(text[start:end].strip())")),
    stored("nul_kept", OURS, "a NUL reaches the log", "test_prepare.py",
           (PREPARE, 'if "\\0" in text:', "if not text:")),
    stored("agents_kept_apart", "4", "a log under another agent's name does not read as this one's", AGENT,
           (RECORDS, "return kind if kind in NOT_THE_AGENT else agent", "return kind or agent")),
    broken("ready_order_lost_at_a_restart", "a restart orders the ready merges by their place", "queue_exact",
           (CHAT, "waiting = list(contents.leaves), list(contents.ready)",
            "waiting = list(contents.leaves), sorted(contents.ready)"), by="store"),
)  # fmt: skip
