"""Where the journal's files are, `journal/<device>/*.jsonl`, and what stands in their way."""

from __future__ import annotations

import os
from pathlib import Path

from cards.model import Problem
from deck.errors import broken, reason


def journal_files(private: Path) -> tuple[list[Path], tuple[Problem, ...]]:
    """The files below `private` (`.deltadeck/`) by path, and an error for each folder that is none.

    A folder that is not there yet is no problem; a file in its place is one, because all reviews
    in it would be gone without a word.  Hidden files are left out.
    """
    problems: list[Problem] = []
    files: list[Path] = []
    if _names(private, problems):
        journal = private / "journal"
        for device in _names(journal, problems):
            is_folder = (journal / device).is_dir()
            names = _names(journal / device, problems) if is_folder or device[0] != "." else []
            files += [journal / device / name for name in names if name.endswith(".jsonl")]
    return files, tuple(problems)


def _names(folder: Path, problems: list[Problem]) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        if os.path.lexists(folder):
            message = "This link leads nowhere: the reviews behind it are missing."
            hint = "Bring back the folder that it names, or remove the link."
            problems.append(broken(folder, message, hint))
    except NotADirectoryError:
        message = "A file stands where the folder of the reviews belongs: they are missing."
        hint = "Move the file away, and bring the folder back from a copy if there was one."
        problems.append(broken(folder, message, hint))
    except OSError as error:
        message = f"The folder of the reviews cannot be read: {reason(error)}."
        hint = "Check its permissions: its reviews are missing from the schedule."
        problems.append(broken(folder, message, hint))
    return []
