"""Settings: defaults, every key, and refusals that name the line and the way out."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from datetime import time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import TEMPLATE, Config, parse_config, read_config
from deck.errors import CollectionError


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_config(tmp_path / "config.toml") == (Config(), ())


def test_the_template_changes_nothing_and_shows_the_defaults() -> None:
    assert parse_config(TEMPLATE) == (Config(), ())
    lines = [line[2:] for line in TEMPLATE.splitlines() if line.startswith("# ") and "=" in line]
    shown = "\n".join(line for line in lines if not line.startswith("parameters"))
    assert parse_config(shown) == (Config(), ())
    assert len(tomllib.loads(shown)) == 19


def test_every_setting_is_read() -> None:
    text = """
        new_per_day = 5
        reviews_per_day = 7
        desired_retention = 0.85
        learning_steps = ["30s", "2h"]
        relearning_steps = []
        maximum_interval = 100
        rollover = "02:30"
        fuzz = false
        write_status = false
        [keys]
        reveal = "space"
    """
    config, problems = parse_config(text)
    assert problems == ()
    assert config.new_per_day == 5
    assert config.reviews_per_day == 7
    assert config.desired_retention == 0.85
    assert config.learning_steps == (timedelta(seconds=30), timedelta(hours=2))
    assert config.relearning_steps == ()
    assert config.maximum_interval == 100
    assert config.rollover == time(2, 30)
    assert (config.fuzz, config.write_status) == (False, False)
    assert config.extra == {"keys": {"reveal": "space"}}


def test_macros_are_read_with_their_backslash() -> None:
    text = "[math.macros]\nR = '\\mathbb{R}'\n'\\norm' = '|#1|'"
    config, problems = parse_config(text)
    assert config.macros == {"\\R": "\\mathbb{R}", "\\norm": "|#1|"}
    assert problems == ()


@pytest.mark.parametrize(
    "text",
    ["[math.macros]\nR = 1", "[math.macros]\n'a b' = 'x'", "[math]\nmacros = 3", "[math]\nfoo = 1"],
)
def test_what_is_no_macro_is_said_and_left_out(text: str) -> None:
    config, problems = parse_config(f"fuzz = true\n{text}")
    assert config.macros == {}
    assert [(p.line, p.severity) for p in problems] == [(2, "warning")]


@pytest.mark.parametrize(
    "line",
    [
        "new_per_day = -1",
        "new_per_day = true",
        'reviews_per_day = "many"',
        "desired_retention = 1.0",
        "desired_retention = nan",
        'learning_steps = "1m"',
        'learning_steps = ["soon"]',
        'relearning_steps = ["0m"]',
        "maximum_interval = 0",
        'rollover = "25:00"',
        "fuzz = 1",
        "write_status = 'yes'",
        "parameters = [1, 2]",
        f"parameters = {[99.0] * 21}",
        "new_per_day = ",
        "new_per_day = 1\nnew_per_day = 2",
    ],
)
def test_what_no_setting_takes_is_refused_with_its_line_and_a_way_out(line: str) -> None:
    with pytest.raises(CollectionError) as raised:
        parse_config(f"# a comment\n\n{line}\n", Path("config.toml"))
    problem = raised.value.problem
    assert problem.line in (3, 4)
    assert problem.hint
    assert "config.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("line", "said", "allowed"),
    [
        ("new_per_day = -1", "new_per_day cannot be -1.", "from 0 to 99999"),
        ("new_per_day = true", "cannot be true.", "a whole number"),
        ('rollover = "25:00"', 'rollover cannot be "25:00".', '"04:00"'),
        ('learning_steps = ["soon"]', 'cannot be ["soon"].', '"10m"'),
        ("fuzz = 1979-05-27", "cannot be 1979-05-27.", "true or false"),
        ("[fuzz]", "cannot be a table.", "true or false"),
        (f"parameters = {[99.0] * 21}", "99.0, ...] (21 values).", "Number 5 of 21 is 99.0"),
        (f'rollover = "{"x" * 999}"', "xxx...", "a time of day"),
        (r'rollover = "\u001b[2J"', r"\x1b[2J", "a time of day"),
    ],
)
def test_a_refusal_names_the_value_and_what_is_allowed(line: str, said: str, allowed: str) -> None:
    with pytest.raises(CollectionError) as raised:
        parse_config(line)
    problem = raised.value.problem
    assert said in problem.message
    assert allowed in problem.hint
    assert len(problem.message) < 120


def test_a_setting_that_does_not_exist_is_a_warning_with_the_likely_one() -> None:
    config, problems = parse_config("\nnew_perday = 3\n")
    assert config == Config()
    assert problems[0].line == 2
    assert "new_per_day" in problems[0].hint


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CollectionError, match="UTF-8"):
        read_config(tmp_path / "config.toml")
    with pytest.raises(CollectionError, match="cannot be read"):
        read_config(tmp_path)


@given(st.text(max_size=80))
def test_any_text_is_settings_or_a_sentence(text: str) -> None:
    with suppress(CollectionError):
        assert isinstance(parse_config(text)[0], Config)
