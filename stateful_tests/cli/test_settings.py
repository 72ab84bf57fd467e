"""Settings: which place wins, what is refused, and that setting one never touches another line."""

from __future__ import annotations

import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.core.config import Config
from optchat.settings import (
    BY_KEY,
    SETTINGS,
    Setting,
    SettingsError,
    chat_file,
    from_text,
    load,
    parse,
    read_file,
    write,
)

numbers = st.sampled_from([setting for setting in SETTINGS if isinstance(setting.default, int)])


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    settings = load(tmp_path, environment={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert settings.config() == Config()
    assert set(settings.origins.values()) == {"default"}


@given(places=st.lists(st.booleans(), min_size=4, max_size=4), setting=numbers)
def test_chat_file_over_user_file_then_environment_then_flags(places: list[bool], setting: Setting) -> None:
    key = setting.key
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {"XDG_CONFIG_HOME": str(folder / "config")}
        user, chat = folder / "config" / "optchat" / "settings.toml", chat_file(folder)
        wanted: tuple[object, str] = (BY_KEY[key].default, "default")
        if places[0]:
            write(user, key, 101)
            wanted = (101, str(user))
        if places[1]:
            write(chat, key, 102)
            wanted = (102, str(chat))
        if places[2]:
            environment[BY_KEY[key].variable] = "103"
            wanted = (103, BY_KEY[key].variable)
        if places[3]:
            wanted = (104, "--set")
        settings = load(folder, [f"{key}=104"] if places[3] else [], environment)
        assert (settings.values[key], settings.origins[key]) == wanted


def test_a_variable_that_sets_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="OPTCHAT_MEMORY_CELING: there is no setting"):
        load(tmp_path, environment={"XDG_CONFIG_HOME": str(tmp_path), "OPTCHAT_MEMORY_CELING": "64000"})
    others = {"OPTCHAT_DIR": "x", "OPTCHAT_BEND_MB": "1", "OPTCHAT_MEMORYLESS": "1", "OPTCHAT": "1"}
    assert set(load(tmp_path, environment={"XDG_CONFIG_HOME": str(tmp_path), **others}).origins.values()) == {"default"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[memory]\nroof = 1\n", "there is no setting 'memory.roof'"),
        ("memory = 1\n", "there is no setting 'memory'"),
        ("[memory.node]\na = 1\n", "must be a whole number"),
        ("[memory]\nnode = 3\n", "4 or more"),
        ("[memory]\njobs = true\n", "must be a whole number"),
        ("[memory]\njobs = 1.5\n", "must be a whole number"),
        ("[memory]\ncompactor = 'gpt'\n", "cannot be 'gpt'"),
        ("[memory\n", "no TOML"),
        ("[memory]\njobs = 1\njobs = 2\n", "no TOML"),
        ("a = " + "[" * 20_000, "no TOML"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_by_name(text: str, said: str, tmp_path: Path) -> None:
    chat_file(tmp_path).write_text(text)
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, environment={"XDG_CONFIG_HOME": str(tmp_path)})
    assert said in str(raised.value)
    assert str(chat_file(tmp_path)) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    chat_file(tmp_path).write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="no UTF-8"):
        read_file(chat_file(tmp_path))


@pytest.mark.parametrize("flag", ["memory.node", "memory.node=", "memory.node=x", "memory.node=3", "node=4", "=1"])
def test_a_flag_that_does_not_fit_is_refused(flag: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--set"):
        load(tmp_path, [flag], {"XDG_CONFIG_HOME": str(tmp_path)})


def test_numbers_that_make_no_memory_are_refused(tmp_path: Path) -> None:
    settings = load(tmp_path, ["memory.floor=1000", "memory.ceiling=999"], {"XDG_CONFIG_HOME": str(tmp_path)})
    with pytest.raises(SettingsError, match="floor"):
        settings.config()


@given(numbers, st.integers(4, 10**9))
def test_a_number_reads_back_from_its_text(setting: Setting, value: int) -> None:
    key = setting.key
    assert from_text(key, str(value), "here") == value
    assert from_text(key, f"{value:_}", "here") == value


comments = st.text(string.ascii_letters + " #=[].'", max_size=12).map(lambda text: f"# {text}")
lines = st.one_of(comments, st.just(""), st.sampled_from(["node = 600 # bytes", "jobs=2", "compactor = 'extract'"]))


@given(st.lists(lines, max_size=6), st.lists(comments, max_size=2), numbers, st.integers(4, 10**6))
def test_setting_one_keeps_every_other_line(body: list[str], head: list[str], setting: Setting, value: int) -> None:
    key = setting.key
    unique = [line for at, line in enumerate(body) if line not in body[:at] or not line.strip()]
    text = "\n".join([*head, "[memory]", *unique]) + "\n"
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "settings.toml"
        path.write_text(text)
        before = read_file(path)
        write(path, key, value)
        assert read_file(path) == before | {key: value}
        kept = [line for line in text.splitlines() if not line.startswith(key.removeprefix("memory."))]
        assert [line for line in path.read_text().splitlines() if line in kept] == kept
        assert [entry.name for entry in Path(name).iterdir()] == ["settings.toml"]


def test_a_layout_that_cannot_be_edited_is_left_alone(tmp_path: Path) -> None:
    path = chat_file(tmp_path)
    path.write_text("memory = { node = 600 }\n")
    with pytest.raises(SettingsError, match="by hand"):
        write(path, "memory.jobs", 2)
    assert path.read_text() == "memory = { node = 600 }\n"
    assert parse(path.read_text(), path) == {"memory": {"node": 600}}
