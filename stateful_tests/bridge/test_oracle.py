"""The differential test's own parts: the scenario's text, its pages, and that a difference is seen and made small."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optchat.core.config import Config
from optchat_bridge.bend.compile_build import COMPILERS
from optchat_bridge.differential import main
from optchat_bridge.oracle import scenario
from optchat_bridge.oracle.binary import BRIDGE, build_ourselves
from optchat_bridge.oracle.compare import OracleFault, binary_oracle, compare, pages, shrink
from optchat_bridge.oracle.scenes import SCENES, Scene, any_sizes, late
from optchat_bridge.oracle.transcript import transcript

TINY = Config(16, 200, 100, 100, 50, 3, 8)
needs_compiler = pytest.mark.skipif(not any(map(shutil.which, COMPILERS)), reason="there is no C compiler here")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_escaped_text_is_one_line_and_comes_back(text: str) -> None:
    escaped = scenario.escape(text)
    assert not set(escaped) & set("\n\r\t")
    assert scenario.unescape(escaped) == text


@given(st.sampled_from([TINY, Config(), Config(failures=1, jobs=1)]))
def test_a_config_line_comes_back(config: Config) -> None:
    assert scenario.read_config(scenario.config_line(config)) == config


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_a_transcript_splits_into_the_pages_it_was_made_of(seed: int) -> None:
    made = list(transcript(Scene(f"seed {seed}", late(TINY, 8)).lines()))
    assert list(pages("".join(made).splitlines(keepends=True))) == made


def test_a_scene_is_a_function_of_its_name() -> None:
    scene = Scene("again", any_sizes(20))
    assert scene.lines() == scene.lines() != Scene("other", any_sizes(20)).lines()
    assert len({each.name for each in SCENES}) == len(SCENES) == 29


def lying(lines: list[str]) -> Iterator[str]:
    """Gives the view a byte more after each long message."""
    for line, page in zip([*lines[1:], "the end"], transcript(lines), strict=True):
        yield page.replace("\nbytes ", "\nbytes 1") if line.startswith("m ") and len(line) > 20 else page


def test_a_difference_is_found_and_made_small() -> None:
    lines = Scene("lies", late(TINY, 40)).lines()
    found = compare(lines, lying).difference
    assert found is not None
    assert found.ours.replace("\nbytes ", "\nbytes 1") == found.oracle
    small = shrink(lines, lying)
    assert len(small) == 2
    assert compare(small, lying).difference is not None


def test_a_missing_page_is_a_difference() -> None:
    lines = Scene("short", late(TINY, 3)).lines()
    found = compare(lines, lambda events: iter(list(transcript(events))[:-1])).difference
    assert found is not None
    assert found.event == "the end"


def test_an_oracle_that_crashes_is_a_fault_in_one_line(tmp_path: Path) -> None:
    script = tmp_path / "oracle"
    script.write_text("#!/bin/sh\necho 'no such scenario' >&2\nexit 3\n")
    script.chmod(0o700)
    with pytest.raises(OracleFault, match=r"status 3: no such scenario"):
        list(binary_oracle(script)(["config"]))


@needs_compiler
@pytest.mark.parametrize("scene", [*SCENES[5:13], Scene("tiny, late", late(TINY, 120))], ids=lambda scene: scene.name)
def test_the_compiled_model_says_the_same(scene: Scene) -> None:
    oracle = binary_oracle(build_ourselves(BRIDGE))
    assert compare(scene.lines(), oracle).difference is None


@needs_compiler
def test_the_command_says_the_same_and_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "any sizes, 11"]) == 0
    assert "the same" in capsys.readouterr().out
