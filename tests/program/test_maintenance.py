"""The journal is examined, repaired, backed up and taken back from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.shell import ITEM, Shell


@pytest.fixture
def studied(folder: Path, shell: Shell) -> Path:
    assert shell("review", ITEM, "easy", "-C", folder).returncode == 0
    return folder


def journal_of(folder: Path) -> Path:
    [path] = folder.glob(".deltadeck/journal/*/*.jsonl")
    return path


def test_a_torn_line_is_a_numbered_finding_with_the_command_that_mends_it(
    studied: Path, shell: Shell
) -> None:
    path = journal_of(studied)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"torn')
    told = shell("doctor", "-C", studied)
    assert told.returncode == 1
    findings = told.stdout[told.stdout.index("1 finding\n") :]
    assert f"1. {path}:2: " in findings
    assert f"`deltadeck doctor --repair --folder {studied}`" in findings
    assert path.read_bytes() != whole

    value = shell.json("doctor", "--repair", "-C", studied)
    assert [each["lines"] for each in value["repaired"]] == [1]
    assert path.read_bytes() == whole
    assert Path(value["repaired"][0]["aside"]).read_bytes().startswith(b'{"v":1,"torn')
    lines = [found for found in value["findings"] if found["about"] == "journal"]
    assert [found["said"] for found in lines] == ["every line is whole"]


def test_a_backup_is_made_once_for_each_state_and_taken_back(studied: Path, shell: Shell) -> None:
    first = journal_of(studied).read_bytes()
    assert shell.json("restore", "-C", studied) == []
    made = shell.json("backup", "-C", studied)
    assert made["made"] is True
    assert "Nothing changed" in shell("backup", "-C", studied).stdout
    shell("review", "--undo", "-C", studied)
    listed = shell("restore", "-C", studied).stdout
    assert Path(made["backup"]["path"]).name in listed
    assert "changed" in shell("restore", "1", "-C", studied).stdout
    assert journal_of(studied).read_bytes() == first
    again = shell("restore", made["backup"]["path"], "-C", studied).stdout
    assert again == "The journal and the settings are the same.\n"


def test_only_what_is_lost_comes_back(studied: Path, shell: Shell) -> None:
    shell("backup", "-C", studied)
    path = journal_of(studied)
    lost = path.read_bytes()
    path.unlink()
    shell("review", ITEM, "hard", "-C", studied)
    found = shell.json("restore", "1", "--missing", "-C", studied)
    assert (found["lines"], found["aside"]) == (1, None)
    files = [file.read_bytes() for file in studied.glob(".deltadeck/journal/*/*.jsonl")]
    assert b"".join(files).count(b"\n") == 2
    assert lost in files


def test_a_backup_that_there_is_not_is_refused(studied: Path, shell: Shell, tmp_path: Path) -> None:
    assert "there are none yet" in shell.refused("restore", "3", "-C", studied)
    assert "is no file" in shell.refused("restore", "nowhere.zip", "-C", studied)
    (tmp_path / "other.zip").write_bytes(b"no backup")
    assert "cannot be used" in shell.refused("restore", tmp_path / "other.zip", "-C", studied)
    assert "needs a backup" in shell.refused("restore", "--missing", "-C", studied)
    assert "is no folder" in shell.refused("backup", "-C", tmp_path / "nowhere")
