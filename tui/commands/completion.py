"""`deltadeck completion SHELL`: the script with which a shell completes commands."""

from __future__ import annotations

import argparse

from tui.commands.common import UsageError

SHELLS = ("bash", "zsh", "fish")
#: Behind a word in a list, its meaning takes no more than a line.
_LONGEST = 70

_EPILOG = """\
bash: `source <(deltadeck completion bash)` in ~/.bashrc
zsh:  `source <(deltadeck completion zsh)` in ~/.zshrc
fish: `deltadeck completion fish > ~/.config/fish/completions/deltadeck.fish`
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("shell", nargs="*", metavar="SHELL", help="bash, zsh or fish")
    # What the scripts ask: the words of a line, the one at the cursor last.
    parser.add_argument("--for", dest="asking", choices=SHELLS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    if args.asking:
        _answer(args.asking, args.shell)
        return 0
    if len(args.shell) != 1 or args.shell[0] not in SHELLS:
        raise UsageError("Name your shell: `deltadeck completion bash`, zsh or fish.")
    from importlib.resources import files

    script = files("tui.completing") / "scripts" / f"deltadeck.{args.shell[0]}"
    print(script.read_text("utf-8"), end="")
    return 0


def _answer(shell: str, given: list[str]) -> None:
    """A line for the kind of what is offered, and a line for each."""
    from tui.completing.offer import offered

    if shell == "bash":
        _answer_bash(given)
        return
    *words, current = given or [""]
    if shell == "fish":
        current = current[1:] if current[:1] in ("'", '"') else current.replace("\\", "")
    found = offered(words, current)
    print(found.kind)
    for word, said in found.words:
        meaning = " ".join(said.split())[:_LONGEST]
        if "\n" not in word and "\t" not in word:
            print(f"{word}\t{meaning}" if meaning else word)


def _answer_bash(given: list[str]) -> None:
    from tui.completing.line import split, written
    from tui.completing.offer import offered

    text, breaks = (*given, "", "")[:2]
    line = split(text, breaks)
    found = offered(line.words[1:], line.current)
    print(found.kind)
    for word, _ in found.words:
        if "\n" not in word:
            print(written(line, word))
