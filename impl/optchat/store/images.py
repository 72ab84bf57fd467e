"""The images of messages: files of `images/`, named by the hash of what they hold, so that each is there once."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from optchat.store.errors import Damaged, StoreError
from optchat.store.files import Files, make_folders, write_atomic

NAME = re.compile(r"([0-9a-f]{64})\.(png|jpg|gif|webp)")
SUFFIXES = ("png", "jpg", "gif", "webp")


def save_image(files: Files, folder: Path, data: bytes, suffix: str) -> str:
    """Keep an image, durably; its name. Raises StoreError on a suffix that is none of SUFFIXES."""
    if suffix not in SUFFIXES:
        raise StoreError(f"{suffix!r} is no kind of image: it must be one of {', '.join(SUFFIXES)}")
    name = f"{sha256(data).hexdigest()}.{suffix}"
    path = folder / name
    if not path.exists():
        make_folders(files, folder)
        write_atomic(files, path, data, durable=True)
    return name


def check_image(folder: Path, name: str) -> None:
    """Raise StoreError on a name that `save_image` has not given."""
    if NAME.fullmatch(name) is None or not (folder / name).is_file():
        raise StoreError(f"{name!r} is no image of this chat: save it first")


def load_image(folder: Path, name: str) -> bytes:
    """The bytes of an image. Raises Damaged when it is gone or is another one."""
    path = folder / name
    found = NAME.fullmatch(name)
    if found is None:
        raise StoreError(f"{name!r} is no image's name")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Damaged(path, None, f"an image cannot be read ({error.strerror})") from None
    if sha256(data).hexdigest() != found[1]:
        raise Damaged(path, None, "an image that is not the one it is named after")
    return data
