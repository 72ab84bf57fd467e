"""Where the parts of a chat are."""

from __future__ import annotations

from pathlib import Path

from optchat.store.errors import Unusable
from optchat.store.files import Files, make_folders


class Layout:
    """The paths of one chat, whose folder is `root` (`D/chat`, or `D/chat/agents/NAME`)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lock = root / "lock"
        self.main = root / "main"
        self.tree = root / "tree"
        self.view = root / "view.json"
        self.index = root / "index" / "places"
        self.keys = root / "index" / "keys"
        self.torn = root / "torn"
        self.images = root / "images"
        self.agents = root / "agents"

    @classmethod
    def of(cls, folder: Path) -> Layout:
        """The chat of a folder: `folder/chat`; or the folder itself, when it has `main/` and no `chat/`, or is the
        `agents/NAME` of a chat.
        """
        own = (folder / "main").is_dir() or (
            folder.parent.name == "agents" and (folder.parent.parent / "main").is_dir()
        )
        return cls(folder if own and not (folder / "chat").exists() else folder / "chat")

    def check(self) -> None:
        """Raise Unusable when there is no chat here to read."""
        self._check_folders()
        if not self.main.is_dir():
            raise Unusable(f"{self.root}: no chat here: give the --dir that holds `chat/`, or import something first")

    def make(self, files: Files) -> None:
        """Make the folders that are missing, durably. Raises Unusable, OSError."""
        self._check_folders()
        make_folders(files, self.main)
        make_folders(files, self.tree)

    def _check_folders(self) -> None:
        for path in (*reversed(self.root.parents), self.root, self.main, self.tree):
            if path.exists() and not path.is_dir():
                raise Unusable(f"{path}: a file, where a chat's folder must be: give another --dir")
