"""The journal is examined, repaired, backed up and taken back from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.shell import ITEM, Shell


@pytest.fixture
def studied(seed: Shell) -> Shell:
    assert seed("review", ITEM, "easy").returncode == 0
    return seed


def journal_of(studied: Shell) -> Path:
    [path] = studied.folder.glob(".deltadeck/journal/*/*.jsonl")
    return path


def test_a_torn_line_is_a_numbered_finding_with_the_command_that_mends_it(studied: Shell) -> None:
    path = journal_of(studied)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"torn')
    told = studied("doctor")
    assert told.returncode == 1
    findings = told.stdout[told.stdout.index("1 finding\n") :]
    assert f"1. {path}:2: " in findings
    assert f"`deltadeck doctor --repair --folder {studied.folder}`" in findings
    assert path.read_bytes() != whole

    value = studied.json("doctor", "--repair")
    assert [each["lines"] for each in value["repaired"]] == [1]
    assert path.read_bytes() == whole
    assert Path(value["repaired"][0]["aside"]).read_bytes().startswith(b'{"v":1,"torn')
    lines = [found for found in value["findings"] if found["about"] == "journal"]
    assert [found["said"] for found in lines] == ["every line is whole"]


def test_a_backup_is_made_once_for_each_state_and_taken_back(studied: Shell) -> None:
    first = journal_of(studied).read_bytes()
    assert studied.json("restore") == []
    made = studied.json("backup")
    assert made["made"] is True
    assert "Nothing changed" in studied("backup").stdout
    studied("review", "--undo")
    listed = studied("restore").stdout
    assert Path(made["backup"]["path"]).name in listed
    assert "changed" in studied("restore", "1").stdout
    assert journal_of(studied).read_bytes() == first
    again = studied("restore", made["backup"]["path"]).stdout
    assert again == "The journal and the settings are the same.\n"


def test_only_what_is_lost_comes_back(studied: Shell) -> None:
    studied("backup")
    path = journal_of(studied)
    lost = path.read_bytes()
    path.unlink()
    studied("review", ITEM, "hard")
    found = studied.json("restore", "1", "--missing")
    assert (found["lines"], found["aside"]) == (1, None)
    files = [file.read_bytes() for file in studied.folder.glob(".deltadeck/journal/*/*.jsonl")]
    assert b"".join(files).count(b"\n") == 2
    assert lost in files


def test_a_backup_that_there_is_not_is_refused(
    studied: Shell, shell: Shell, tmp_path: Path
) -> None:
    assert "there are none yet" in studied.refused("restore", "3")
    assert "is no file" in studied.refused("restore", "nowhere.zip")
    (tmp_path / "other.zip").write_bytes(b"no backup")
    assert "cannot be used" in studied.refused("restore", tmp_path / "other.zip")
    assert "needs a backup" in studied.refused("restore", "--missing")
    assert "is no folder" in shell.refused("backup", "-C", tmp_path / "nowhere")
