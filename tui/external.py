"""The learner's own editor, on a draft: nothing is lost, whatever it does."""

from __future__ import annotations

import shutil


class OutsideError(Exception):
    """Its text is a sentence with the way out."""


def edit_outside(text: str, name: str) -> str:
    """What $EDITOR makes of `text`; the terminal must have been given up before."""
    from tui.commands.common import UsageError, read_text
    from tui.commands.editing import edit_draft

    try:
        draft = edit_draft(text, name)
        edited = read_text(str(draft))
    except UsageError as error:
        raise OutsideError(str(error)) from error
    shutil.rmtree(draft.parent, ignore_errors=True)
    return edited
