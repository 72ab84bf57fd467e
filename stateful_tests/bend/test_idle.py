"""Nothing in the model and its proofs is idle: what serves no law and no program is read and checked for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from optchat_bridge.bend.limits import deep
from stateful_tests.breaks.bend_book import Book

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "LAWS.bend", ROOT / "PROOF.bend", *sorted((ROOT / "bend").rglob("*.bend"))]


def places(book: Book, names: Iterable[str]) -> set[str]:
    """Declarations by their file and their name in it; Base's are left out."""
    entries = [book.library.names[name] for name in names]
    return {f"{book.file_of(each)} {each.decl.name}" for each in entries if not each.module.base}


def test_every_declaration_serves_a_law_or_the_bridge() -> None:
    def work() -> tuple[set[str], set[str]]:
        known, needed = set(), set()
        for path, serves in ((ROOT / "PROOF.bend", "LAWS.bend"), (ROOT / "bend" / "bridge.bend", "bend/bridge.bend")):
            book = Book(path)
            book.root = ROOT
            roots = [name for name, each in book.library.names.items() if book.file_of(each) == serves]
            known |= places(book, book.library.names)
            needed |= places(book, book.needed(roots))
        return known, needed

    known, needed = deep(work)
    assert len(needed) > 1_000
    assert known - needed == set()


def test_every_import_is_used() -> None:
    idle = []
    for path in FILES:
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        aliases = re.findall(r"^import \S+ as (\w+)$", text, re.MULTILINE)
        idle += [f"{path.name}: {alias}" for alias in aliases if not re.search(rf"\b{alias}\.", text)]
    assert idle == []
