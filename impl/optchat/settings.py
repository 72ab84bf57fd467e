"""Settings: a file in the chat's folder over the user's file, the environment over both, flags over all.

The files are TOML. A key that is not known, and a value that does not fit, is an error that names its place.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from optchat.core.config import Config

FILE = "settings.toml"
Value = int | str
_DEFAULTS = Config()


class SettingsError(ValueError):
    """A setting that cannot be used; one line: where, what, the way out."""


class Setting(NamedTuple):
    """One setting: `section.name`, its default (whose type is its type), what it does, and what fits it."""

    key: str
    default: Value
    help: str
    least: int = 1
    """Of a number."""
    form: str = ""
    """Of a text: a regular expression that the whole of it matches."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `OPTCHAT_SECTION_NAME`."""
        return "OPTCHAT_" + self.key.upper().replace(".", "_")


AGENT = r"(?!(?:user|tool|echo|work|note)$)[^\W\d][\w-]*"
"""A name that can be told from the other kinds of messages."""

SETTINGS = (
    Setting("memory.node", _DEFAULTS.node, "the most bytes of a summary line", least=4),
    Setting("memory.ceiling", _DEFAULTS.ceiling, "the view's bytes past which a batch merges lines"),
    Setting("memory.floor", _DEFAULTS.floor, "the view's bytes down to which a batch merges"),
    Setting("memory.cceiling", _DEFAULTS.cceiling, "the same ceiling for the view that summaries are written in"),
    Setting("memory.cfloor", _DEFAULTS.cfloor, "the same floor for the view that summaries are written in"),
    Setting("memory.jobs", _DEFAULTS.jobs, "the most summaries that are written at once"),
    Setting("memory.lookahead", _DEFAULTS.lookahead, "how many of the oldest unsummarized lines may be under way"),
    Setting("memory.compactor", "extract", "what writes the summaries (extract: no model)", form="extract"),
    Setting("agent.name", "unii", "the agent's name, and the kind of its messages", form=AGENT),
)
BY_KEY = {setting.key: setting for setting in SETTINGS}
KEYS = {setting.variable: setting.key for setting in SETTINGS}
SECTIONS = tuple({variable[: variable.index("_", len("OPTCHAT_")) + 1] for variable in KEYS})
"""What the variables of settings begin with, by section; OPTCHAT_DIR and others are no settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting's value, by key, and where it comes from: `default`, a file, a variable or `--set`."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]

    @property
    def agent(self) -> str:
        """The agent's name."""
        return str(self.values["agent.name"])

    def config(self) -> Config:
        """The planner's numbers. Raises SettingsError when they make no memory together."""
        numbers: dict[str, Any] = {
            key.removeprefix("memory."): value for key, value in self.values.items() if isinstance(value, int)
        }
        try:
            return Config(**numbers)
        except ValueError as error:
            raise SettingsError(f"the settings make no memory: {error} (see: optchat settings)") from None


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own file: `$XDG_CONFIG_HOME/optchat/settings.toml`, by default below `~/.config`."""
    return Path(environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")) / "optchat" / FILE


def chat_file(folder: Path) -> Path:
    """The file in a chat's folder."""
    return folder / FILE


def load(folder: Path, flags: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that hold for the chat in `folder`; `flags` are `KEY=VALUE`. Raises SettingsError, OSError."""
    environment = os.environ if environment is None else environment
    values: dict[str, Value] = {setting.key: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")

    def take(key: str, value: Value, origin: str) -> None:
        values[key], origins[key] = value, origin

    for path in (user_file(environment), chat_file(folder)):
        for key, value in read_file(path).items():
            take(key, value, str(path))
    for variable in sorted(environment):
        if variable.startswith(SECTIONS):
            key = KEYS.get(variable, variable)
            take(key, from_text(key, environment[variable], variable), variable)
    for flag in flags:
        key, equals, text = flag.partition("=")
        if not equals:
            raise SettingsError(f"--set {flag}: write it as KEY=VALUE, for instance memory.ceiling=64000")
        take(key, from_text(key, text, f"--set {flag}"), "--set")
    return Settings(values, origins)


def read_file(path: Path) -> dict[str, Value]:
    """A file's settings, by key; none when there is no file. Raises SettingsError naming the file, OSError."""
    return checked(parse(read_text(path), path), path)


def read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        # Of a folder that is a file, its opening says more.
        return ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: no UTF-8 text: {error.reason} at byte {error.start}") from None


def parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # Also of an integer of thousands of digits.
        raise SettingsError(f"{path}: no TOML: {str(error) or 'nested too deep'}") from None


def checked(tables: dict[str, Any], path: Path) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for section, table in tables.items():
        for name, value in table.items() if isinstance(table, dict) else [(None, table)]:
            key = section if name is None else f"{section}.{name}"
            found[key] = fit(setting_of(key, str(path)), value, str(path))
    return found


def setting_of(key: str, where: str) -> Setting:
    if key not in BY_KEY:
        known = ", ".join(BY_KEY)
        raise SettingsError(f"{where}: there is no setting {key!r}; there are {known}")
    return BY_KEY[key]


def from_text(key: str, text: str, where: str) -> Value:
    """The value that a word of the command line or the environment stands for. Raises SettingsError."""
    setting = setting_of(key, where)
    if isinstance(setting.default, str):
        return fit(setting, text, where)
    if not re.fullmatch(r"-?[0-9][0-9_]{0,17}", text):
        raise SettingsError(f"{where}: {key} must be a whole number, not {text!r}")
    return fit(setting, int(text.replace("_", "")), where)


def fit(setting: Setting, value: object, where: str) -> Value:
    """A value that the setting can have. Raises SettingsError."""
    if isinstance(setting.default, str):
        if not isinstance(value, str) or not re.fullmatch(setting.form, value):
            raise SettingsError(f"{where}: {setting.key} cannot be {value!r}: it must match {setting.form}")
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise SettingsError(f"{where}: {setting.key} must be a whole number, not {value!r}")
    if value < setting.least:
        raise SettingsError(f"{where}: {setting.key} must be {setting.least} or more, not {value}")
    return value


def with_value(text: str, key: str, value: Value, path: Path) -> str:
    """A file's text with one setting changed and every other line as it was. Raises SettingsError when it cannot be."""
    section, name = key.split(".")
    lines = text.splitlines()
    new = f"{name} = {value if isinstance(value, int) else json.dumps(value)}"
    header = re.compile(rf"\s*\[\s*{section}\s*\]\s*(#.*)?")
    start = next((at for at, line in enumerate(lines) if header.fullmatch(line)), None)
    if start is None:
        lines += [""] * bool(lines) + [f"[{section}]", new]
    else:
        end = next((at for at in range(start + 1, len(lines)) if re.match(r"\s*\[", lines[at])), len(lines))
        old = [at for at in range(start + 1, end) if re.match(rf"\s*{name}\s*=", lines[at])]
        if old:
            lines[old[0]] = new
        else:
            lines.insert(start + 1, new)
    result = "\n".join(lines) + "\n"
    wanted = checked(parse(text, path), path) | {key: value}
    try:
        written = checked(parse(result, path), path)
    except SettingsError:
        written = {}
    if written != wanted:
        raise SettingsError(f"{path}: cannot be changed without touching other lines: set {key} in it by hand")
    return result


def write(path: Path, key: str, value: Value) -> None:
    """Set one setting in a file, which is replaced in one step; a link stays one. Raises SettingsError, OSError."""
    text = with_value(read_text(path), key, value, path)
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(place)
    except OSError as error:
        raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from error
    finally:
        if beside.exists():
            beside.unlink()
