"""Settings: defaults, every key, refusals that name the line and the way out; changed in place."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import TEMPLATE, Config, Course, parse_config, read_config, usable_config
from deck.errors import CollectionError
from deck.settings import Value, set_value, write_setting

# Settings: defaults, every key, and refusals that name the line and the way out.


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_config(tmp_path / "config.toml") == (Config(), ())


def test_the_template_changes_nothing_and_shows_the_defaults() -> None:
    assert parse_config(TEMPLATE) == (Config(), ())
    lines = [line[2:] for line in TEMPLATE.splitlines() if line.startswith("# ") and "=" in line]
    shown = "\n".join(line for line in lines if not line.startswith("parameters"))
    assert parse_config(shown) == (Config(), ())
    assert len(tomllib.loads(shown)) == 20


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
        [math.macros]
        R = '\\mathbb{R}'
        '\\norm' = '|#1|'
    """
    expected = Config(
        new_per_day=5,
        reviews_per_day=7,
        desired_retention=0.85,
        learning_steps=(timedelta(seconds=30), timedelta(hours=2)),
        relearning_steps=(),
        maximum_interval=100,
        rollover=time(2, 30),
        fuzz=False,
        write_status=False,
        extra={key: tomllib.loads(text)[key] for key in ("keys", "math")},
        macros={"\\R": "\\mathbb{R}", "\\norm": "|#1|"},
    )
    assert parse_config(text) == (expected, ())


@pytest.mark.parametrize(
    "text",
    ["[math.macros]\nR = 1", "[math.macros]\n'a b' = 'x'", "[math]\nmacros = 3", "[math]\nfoo = 1"],
)
def test_what_is_no_macro_is_said_and_left_out(text: str) -> None:
    config, problems = parse_config(f"fuzz = true\n{text}")
    assert config.macros == {}
    assert [(p.line, p.severity) for p in problems] == [(2, "warning")]


@pytest.mark.parametrize(
    ("line", "said", "allowed"),
    [
        ("new_per_day = -1", "new_per_day cannot be -1.", "from 0 to 99999"),
        ("new_per_day = true", "cannot be true.", "a whole number"),
        ('reviews_per_day = "many"', 'cannot be "many".', "a whole number"),
        ("desired_retention = 1.0", "cannot be 1.0.", "from 0.70 to 0.99"),
        ("desired_retention = nan", "cannot be nan.", "from 0.70 to 0.99"),
        ('learning_steps = "1m"', 'cannot be "1m".', "a list of times"),
        ('learning_steps = ["soon"]', 'cannot be ["soon"].', '"10m"'),
        ('relearning_steps = ["0m"]', 'cannot be ["0m"].', '"10m"'),
        ("maximum_interval = 0", "cannot be 0.", "from 1 to 36500"),
        ('rollover = "25:00"', 'rollover cannot be "25:00".', '"04:00"'),
        ("fuzz = 1", "cannot be 1.", "true or false"),
        ("fuzz = 1979-05-27", "cannot be 1979-05-27.", "true or false"),
        ("[fuzz]", "cannot be a table.", "true or false"),
        ("parameters = [1, 2]", "cannot be [1.0, 2.0].", "Give the 21 numbers"),
        (f"parameters = {[99.0] * 21}", "99.0, ...] (21 values).", "Number 5 of 21 is 99.0"),
        ("easy_days = {sat = 2}", "cannot be a table.", "{sat = 0.5, sun = 0}"),
        (f'rollover = "{"x" * 999}"', "xxx...", "a time of day"),
        (r'rollover = "\u001b[2J"', r"\x1b[2J", "a time of day"),
        ("courses = 3", "courses is not a table.", "Write a table"),
        ('courses.A = {exam = "soon"}', "the course 'A' cannot be", "a day, such as"),
        ("searches = {hard = 3}", "the search 'hard' cannot be 3.", "as a text"),
        ("new_per_day = ", "not TOML", "Correct the line"),
        ("new_per_day = 1\nnew_per_day = 2", "not TOML", "Correct the line"),
    ],
)
def test_a_refusal_names_the_file_line_and_value_and_what_is_allowed(
    line: str, said: str, allowed: str
) -> None:
    with pytest.raises(CollectionError) as raised:
        parse_config(f"# a comment\n\n{line}\n", Path("config.toml"))
    problem = raised.value.problem
    assert "config.toml" in str(raised.value)
    assert said in problem.message
    assert allowed in problem.hint
    assert len(problem.message) < 120
    inline = line.startswith(("[", "courses.", "searches"))
    assert problem.line in ((1,) if inline else (3, 4))


def test_every_wrong_value_is_named_and_the_default_holds_in_its_place() -> None:
    text = 'fuzz = 3\nnew_per_day = 7\nmodel = "x"\nparameters = [1]\nsearches = {a = 1, b = "c"}\n'
    config, problems = usable_config(f"{text}courses = {{A = {{target = 5, exam = 3}}}}\n")
    courses = {"A": Course(target=5)}
    expected = Config(new_per_day=7, searches={"b": "c"}, courses=courses, extra=config.extra)
    assert config == expected
    assert {problem.severity for problem in problems} == {"error"}
    said = " ".join(problem.message for problem in problems)
    assert all(name in said for name in ("fuzz", "model", "parameters", "'a'", "exam"))


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


# A setting is changed in its own lines; all others stay as they were written.


BLOCKS = [
    "# a comment with fuzz = in it",
    "fuzz = false  # mine",
    "fuzz = [\n  1,\n  2, # two\n]",
    'note = """\nfuzz = 1\n[fuzz]\n"""',
    "rows = [\n[1],\n]",
    "",
]
TABLES = [
    "[keys]\nfuzz = 3",
    '[courses."A [b"]\nexam = 2027-01-20',
    '# mine\n[courses.B]\nfuzz = 1 # two\n[courses."C"]\ntarget = 3',
    "[fuzzy]",
]
VALUES: list[Value | None] = [True, 3, 0.25, 'a "b" \\ c', [0.1, 2.0], ["1m"], {"sat": 0.5}, None]
PLACES: list[tuple[str, ...]] = [(), ("courses", "B"), ("courses", 'new "one".'), ("keys",)]


def put(table: dict[str, Any], place: tuple[str, ...], key: str, value: object) -> dict[str, Any]:
    """The meaning of `set_value`, on what the text means."""
    if not place:
        rest = {name: each for name, each in table.items() if name != key}
        return rest if value is None else rest | {key: value}
    if place[0] not in table and value is None:
        return table
    return table | {place[0]: put(table.get(place[0], {}), place[1:], key, value)}


@given(
    st.lists(st.sampled_from(BLOCKS), unique=True),
    st.lists(st.sampled_from(TABLES), unique=True),
    st.sampled_from(VALUES),
    st.sampled_from(PLACES),
)
def test_only_the_one_setting_changes(
    blocks: list[str], tables: list[str], value: Value | None, place: tuple[str, ...]
) -> None:
    text = "\n".join([*blocks, *tables])
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    after = set_value(text, "fuzz", value, place)
    assert tomllib.loads(after) == put(before, place, "fuzz", value)
    comments = [row for row in text.split("\n") if row.startswith("#")]
    assert [row for row in after.split("\n") if row.startswith("#")] == comments


def test_the_template_takes_a_setting() -> None:
    assert tomllib.loads(set_value(TEMPLATE, "fuzz", False)) == {"fuzz": False}
    exam = set_value(TEMPLATE, "exam", date(2027, 1, 20), ("courses", "Algebra"))
    assert tomllib.loads(exam) == {"courses": {"Algebra": {"exam": date(2027, 1, 20)}}}


def test_a_text_in_which_no_setting_can_be_put_is_refused() -> None:
    with pytest.raises(ValueError, match="courses is not a table"):
        set_value("courses = 1", "fuzz", True, ("courses", "A"))


def test_a_file_that_cannot_be_written_stays_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = = 1")
    with pytest.raises(CollectionError, match="fuzz"):
        write_setting(path, "fuzz", True)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["a = = 1"]
