"""Wheel and sdist: what is in them, what they say of themselves, and that the wheel alone works."""

from __future__ import annotations

import json
import re
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.packaging.installed import Installed, build, install
from tests.paths import ROOT, STARTER
from tui import VERSION

_ROOMS = ("cards", "deck", "engine", "tui")
_RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
#: Files for other programs, man pages for example: where they are here, and there.
_SHARED = _PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"].get("shared-data", {})
_CLUTTER = ("__pycache__", ".pyc", ".hypothesis", "_cache", ".git/")


def _files() -> set[str]:
    """What stands in the four rooms."""
    return {
        path.relative_to(ROOT).as_posix()
        for room in _ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and not any(clutter in path.as_posix() for clutter in _CLUTTER)
    }


def _imported(names: set[str]) -> set[str]:
    return {name for name in names if not re.match(r"[^/]+\.(dist-info|data)/", name)}


def test_the_classifiers_name_the_pythons_that_make_pythons_tries() -> None:
    project = _PROJECT["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    tried = re.search(r"for version in ([\d. ]+);", (ROOT / "Makefile").read_text("utf-8"))
    assert tried is not None
    assert named == tried[1].split()
    assert project["requires-python"] == f">={named[0]}"


class Built(NamedTuple):
    wheel: Path
    sdist: Path
    rooms: set[str]
    """The files of the four rooms, told before anything was built."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    rooms = _files()
    sdist, wheel = build(tmp_path_factory.mktemp("dist"))
    assert wheel.name == f"deltadeck-{VERSION}-py3-none-any.whl"
    assert sdist.name == f"deltadeck-{VERSION}.tar.gz"
    return Built(wheel, sdist, rooms)


@pytest.fixture(scope="module")
def names(built: Built) -> set[str]:
    with zipfile.ZipFile(built.wheel) as wheel:
        return set(wheel.namelist())


@pytest.fixture(scope="module")
def metadata(built: Built) -> Message:
    with zipfile.ZipFile(built.wheel) as wheel:
        text = wheel.read(f"deltadeck-{VERSION}.dist-info/METADATA").decode()
    return Parser().parsestr(text)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(built.wheel, tmp_path_factory.mktemp("clean"))


def test_the_wheel_holds_the_four_rooms_and_no_more(built: Built, names: set[str]) -> None:
    assert _imported(names) == built.rooms
    shared = {name.partition(".data/data/")[2] for name in names if ".data/" in name}
    assert shared == set(_SHARED.values())
    assert {f"cards/starter/{path.name}" for path in STARTER.glob("*.md")} <= names
    assert any(name.endswith(".tcss") for name in names)


def test_the_sdist_holds_the_wheel_and_the_documentation(built: Built, names: set[str]) -> None:
    with tarfile.open(built.sdist) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert _imported(names) | set(_SHARED) <= inside
    docs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    top = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"}
    assert docs | top <= inside
    assert not [name for name in inside if any(clutter in name for clutter in _CLUTTER)]
    assert not [name for name in inside if name.startswith(("tests", "dist", ".venv", "study"))]


def test_what_it_says_of_itself(names: set[str], metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("deltadeck", VERSION)
    assert metadata["Requires-Python"] == ">=3.11"
    assert (metadata["License-Expression"], metadata["License-File"]) == ("MIT", "LICENSE")
    assert metadata["Summary"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).startswith("# deltadeck")
    assert {"images", "optimize", "web"} <= set(metadata.get_all("Provides-Extra", []))
    assert not metadata.get_all("Project-URL")
    assert set(_PROJECT["project"]["scripts"]) == {"deltadeck"}
    assert f"deltadeck-{VERSION}.dist-info/entry_points.txt" in names
    required = {line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert len(required) == len(_PROJECT["project"]["dependencies"])


@pytest.mark.long
def test_it_works_where_nothing_of_the_source_tree_is(installed: Installed) -> None:
    where = installed.run("python", "-c", "import cards, tui; print(cards.__file__, tui.__file__)")
    assert str(ROOT) not in where
    assert installed.run("deltadeck", "--version") == f"deltadeck {VERSION}\n"
    installed.run("deltadeck", "init", "study", "--starter")
    due = json.loads(installed.run("deltadeck", "due", "--json", "-C", "study"))
    assert due["decks"][0]["new"] == 20  # of one day
    found = installed.run("deltadeck", "search", "is:new", "--ids", "-C", "study").split()
    assert {name.partition("/")[0] for name in found} == {
        path.stem for path in STARTER.glob("*.md")
    }
    check = ("deltadeck", "check", "ssu_batch4_004", "-C", "study", "--answer")
    assert "correct" in installed.run(*check, _RIGHT)
    function = "def backward(x, delta): return 0 * x"
    assert installed.run(*check, function, code=1)
    assert "Max Pooling" in installed.run("deltadeck", "show", "ssu_batch4_004", "-C", "study")
