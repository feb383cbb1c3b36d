"""What was acknowledged survives every fault: a sample in each run, all of them in the long one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT


def tried(*words: str) -> str:
    """The table, printed by a process of its own: here `os.fsync` does nothing."""
    command = [sys.executable, "-m", "tests.faults", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_of_some_faults_at_system_calls_none_loses_anything() -> None:
    assert "0 lost" in tried("--each", "400", "--workers", "1")


@pytest.mark.long
def test_of_ten_thousand_faults_at_system_calls_none_loses_anything() -> None:
    table = tried("--each", "2")
    assert int(table.splitlines()[-1].split(" faults")[0].replace(",", "")) >= 10_000
