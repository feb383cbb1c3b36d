"""What a shell offers while a command is typed: one program for bash, zsh and fish.

    offered(words, current) -> Offer      words behind `deltadeck`, and the one that is typed
    line.split(text)                      bash's line as words, quotes and all

The scripts in `scripts/` only ask and show (`deltadeck completion --for SHELL -- ...`), so that
what is offered never falls behind the parsers, and card ids come out of the index.
"""
