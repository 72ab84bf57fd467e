"""Breaks of sizes, texts and lines from model replies."""

from __future__ import annotations

from stateful_tests.breaks.catalogue import broken

PLANNER, LINE, TEXT, RENDER = "core/planner.py", "core/line.py", "core/text.py", "core/render.py"

FREE = "if source_size <= self.config.node:"
CUT = 'return text[:limit].encode()[:limit].decode(errors="ignore")'
BEST = "if not line or (self.best is not None and size(line) >= size(self.best)):"
FITS = "if 1 <= size(line) <= self.node:"

BREAKS = (
    broken("free_at_511", "a message of NODE bytes is not free", "free_is_source",
           (PLANNER, FREE, "if source_size < self.config.node:")),
    broken("free_at_513", "a message of NODE + 1 bytes is free", "free_is_source queue_complete",
           (PLANNER, FREE, "if source_size <= self.config.node + 1:")),
    broken("free_stops_at_leaves", "a merge that fits is not free", "free_is_source",
           (PLANNER, "            if txt.size(source) > self.config.node:", "            if source:")),
    broken("free_by_characters", "a free message is measured in characters", "view_bytes free_is_source",
           (TEXT, "return len(text) if text.isascii() else len(text.encode())", "return len(text)")),
    broken("joined_with_a_space", "a merge's halves are joined with a space", "fail_cap_builds free_is_source",
           (TEXT, 'return f"{left}\\n{right}"', 'return f"{left} {right}"')),
    broken("halves_swapped", "a merge's source has its newer half first", "fail_cap_builds free_is_source",
           (TEXT, 'return f"{left}\\n{right}"', 'return f"{right}\\n{left}"')),
    broken("kind_left_out", "a leaf's source is its text alone", "fail_cap_builds free_is_source",
           (TEXT, 'return f"{kind}: {text}"', 'return text')),
    broken("cut_inside_a_character", "a cut leaves half a character", "fail_cap_builds line_fits",
           (TEXT, CUT, 'return text[:limit].encode()[:limit].decode(errors="replace")')),
    broken("cut_by_characters", "a cut counts characters", "fail_cap_builds line_fits",
           (TEXT, CUT, "return text[:limit]")),
    broken("cut_one_short", "a cut leaves out its last byte", "fail_cap_builds",
           (TEXT, CUT, 'return text[:limit].encode()[: limit - 1].decode(errors="ignore")')),
    broken("bytes_with_heads", "a line's bytes count its head", "view_bytes",
           (TEXT, 'return size(text) - text.count("\\r\\n")', 'return size(text) - text.count("\\r\\n") + 4')),
    broken("cr_lf_two_spaces", "CR LF becomes two spaces", "rendered_lines",
           (TEXT, 'return text.replace("\\r\\n", " ").replace("\\n", " ").replace("\\r", " ")',
            'return text.replace("\\n", " ").replace("\\r", " ")')),
    broken("cr_lf_counts_two", "CR LF counts as two bytes", "view_bytes",
           (TEXT, 'return size(text) - text.count("\\r\\n")', "return size(text)")),
    broken("newline_kept", "a line keeps its newlines", "rendered_lines",
           (TEXT, 'return text.replace("\\r\\n", " ").replace("\\n", " ").replace("\\r", " ")', "return text")),
    broken("overlong_text_taken", "a summary longer than NODE bytes is built", "refused_changes_nothing",
           (PLANNER, "if not 1 <= size <= self.config.node:", "if size < 1:")),
    broken("empty_text_taken", "an empty summary is built", "refused_changes_nothing",
           (PLANNER, "if not 1 <= size <= self.config.node:", "if not 0 <= size <= self.config.node:")),
    broken("sixth_try", "a sixth reply is asked for", "line_calls_at_most_tries",
           (LINE, "if self.asked >= self.tries:", "if self.asked > self.tries:"), by="machine histories"),
    broken("fifth_try_left_out", "the tries end one reply early", "line_stops_when_not_shorter",
           (LINE, "if self.asked >= self.tries:", "if self.asked >= self.tries - 1:"), by="machine histories"),
    broken("longer_retry_kept", "a follow-up that is longer than the best replaces it", "line_stops_when_not_shorter",
           (LINE, BEST, "if not line:"), by="machine histories"),
    broken("equal_retry_goes_on", "a follow-up as long as the best does not end the tries",
           "line_stops_when_not_shorter",
           (LINE, BEST, "if not line or (self.best is not None and size(line) > size(self.best)):"),
           by="machine histories"),
    broken("empty_reply_taken", "an empty reply is the line", "line_fits line_empty_is_a_try",
           (LINE, FITS, "if size(line) <= self.node:"), by="machine histories"),
    broken("empty_reply_asked_again", "an empty reply is asked again", "line_empty_is_a_try",
           (LINE, BEST, "if self.best is not None and size(line) >= size(self.best):"), by="machine histories"),
    broken("reply_of_node_bytes_refused", "a reply of NODE bytes is too long", "line_takes_first_fit",
           (LINE, FITS, "if 1 <= size(line) < self.node:"), by="machine histories"),
    broken("reply_past_node_bytes_taken", "a reply of NODE + 1 bytes is the line", "line_fits",
           (LINE, FITS, "if 1 <= size(line) <= self.node + 1:"), by="machine histories"),
    broken("first_reply_cut", "the first long reply is cut, not the best one",
           "line_stops_when_not_shorter line_empty_is_a_try",
           (LINE, "        self.best = line\n", "        self.best = self.best or line\n"), by="machine histories"),
    broken("source_for_the_best", "the source is cut where a reply was the best",
           "line_stops_when_not_shorter line_empty_is_a_try",
           (LINE, "self.best if self.best is not None else self.source", "self.source"), by="machine histories"),
    broken("error_makes_a_line", "a reply that the model was cut off in is the line", "line_error_fails",
           (LINE, "        if cut_off:\n", "        if cut_off and not reply:\n"), by="machine histories"),
    broken("head_kept", "a reply keeps its id+n head", "line_takes_first_fit",
           (LINE, "        text = text[head.end() :].strip(SPACE)\n", "        pass\n"), by="machine histories"),
    broken("head_cut_at_one_digit", "only a one-digit head is taken off", "line_takes_first_fit",
           (LINE, 'r"[0-9]+\\+[0-9]+\\|"', 'r"[0-9]\\+[0-9]\\|"'), by="machine histories"),
)  # fmt: skip
