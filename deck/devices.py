"""Where the journal's files are, `journal/<device>/*.jsonl`, and what stands in their way."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cards.model import Problem
from deck.device import is_device
from deck.errors import broken, odd, reason

#: A folder in which an unfinished `deck.restore.restore` keeps what was there.
RESTORING = ".restoring-"

#: What systems put into any folder.
_CLUTTER = {"desktop.ini", "thumbs.db", "icon\r"}
#: Names that Syncthing, Dropbox, Nextcloud, Seafile, Resilio, iCloud, Drive, file managers and
#: editors give to copies.
_COPY = re.compile(
    r"conflict|\bcopy\b| \d+(\.jsonl)?$|\(.+\)|~|\.(orig|bak|old)\b",
    re.IGNORECASE,
)
_CLOSED = "The folder of the reviews cannot be read"
_LOST_LINK = "This link leads nowhere"
_FILE = "A file stands where the folder of the reviews belongs"


def journal_files(private: Path) -> tuple[list[Path], tuple[Problem, ...]]:
    """The files below `private` (`.deltadeck/`) by path, and what is wrong with folders and names.

    A folder that is not there yet is no problem; a file in its place is one, because all reviews
    in it would be gone without a word.  Hidden files are left out.
    """
    problems: list[Problem] = []
    files: list[Path] = []
    beside = _names(private, problems)
    problems += [_interrupted(private / n) for n in beside if n.startswith(RESTORING)]
    problems += [_second(private / name) for name in beside if _is_second(private, name)]
    if beside:
        journal = private / "journal"
        for device in _shown(_names(journal, problems)):
            names = _shown(_names(journal / device, problems))
            files += [journal / device / name for name in names if name.endswith(".jsonl")]
    problems += [_copied(path) for path in files if is_copy(path)]
    return files, tuple(problems)


def is_closed(problem: Problem) -> bool:
    """Whether a folder is there, or should be, whose files cannot be listed."""
    return problem.message.startswith((_CLOSED, _LOST_LINK, _FILE))


def is_copy(path: Path) -> bool:
    """Whether a journal's file, or the folder of its device, is named like a sync tool's copy."""
    device = path.parent.name
    return bool(_COPY.search(path.name) or (_COPY.search(device) and not is_device(device)))


def _shown(names: list[str]) -> list[str]:
    return [name for name in names if name[0] != "." and name.lower() not in _CLUTTER]


def _is_second(private: Path, name: str) -> bool:
    """Whether it is another folder with the journal's name and a little more."""
    return name.startswith("journal") and name != "journal" and (private / name).is_dir()


def _names(folder: Path, problems: list[Problem]) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        if os.path.lexists(folder):
            message = f"{_LOST_LINK}: the reviews behind it are missing."
            hint = "Bring back the folder that it names, or remove the link."
            problems.append(broken(folder, message, hint))
    except NotADirectoryError:
        problems.append(_no_folder(folder))
    except OSError as error:
        message = f"{_CLOSED}: {reason(error)}."
        hint = "Check its permissions: reviews in it may be missing from the schedule."
        problems.append(broken(folder, message, hint))
    return []


# What is said of it.


def _no_folder(path: Path) -> Problem:
    if path.name.endswith(".jsonl"):
        message = "This file is not read: it lies beside the folders of the devices, not in one."
        return broken(path, message, "Move it into the folder of its device, or into a new one.")
    message = f"{_FILE}: they are missing."
    hint = "Move the file away, and bring the folder back from a copy if there was one."
    return broken(path, message, hint)


def _second(path: Path) -> Problem:
    message = "This folder looks like a second journal: the reviews in it are missing."
    hint = "Move the folders in it into `journal/`, each under a name that is free there."
    return broken(path, message, hint)


def _interrupted(path: Path) -> Problem:
    message = "A backup was being taken back when the program was stopped."
    hint = "`deltadeck doctor --repair` puts back what was there; nothing is lost."
    return broken(path, message, hint)


def _copied(path: Path) -> Problem:
    message = "This looks like a copy that a sync tool or a file manager made."
    hint = "Every review in it counts, once. `deltadeck doctor --repair` clears it away."
    return odd(path, message, hint)


def gone(private: Path) -> Problem:
    """The journal was read, and its folder is not there any more."""
    message = "The folder of the reviews is gone. What was read of it holds for now."
    hint = "Bring it back (a disk, a branch of git, a backup): until then nothing can be recorded."
    return broken(private, message, hint)
