"""Several computers, one collection: what `deltadeck sync` does with git, and with conflict copies.

    sync (running)      copies cleared away, then each repository: commit, fetch, merge, push
    report              what was asked for, and what was done
    git, trouble        the real program, without a shell or a terminal; its errors as sentences
    repository, checks  where a collection is kept, and what must not be in the way
    recording           what changed here, as a commit; `changes` counts it, `belongs` chooses it
    address             where a remote is, as a learner types it
    remote, branches    what is fetched and pushed, and which branch there goes with ours
    adopting            a clone whose collection is still at the remote
    merging             three trees to one (`merged`): `union`, `settings_merge`
    merging_cards       cards by ids (`matching`): their texts (`card_merge`), and names (`naming`)
    applying            the merged tree to the files, each whole or not at all; or by `finishing`
    origin              whose version of a file stands, and whose is the other
    conflicts, copies   versions of a card that are still to be chosen from; what sync tools leave
    setup, classroom    attributes, merge driver, ignored files; cards of a teacher's repository

Every step may be killed: it leaves files that are whole, and the next sync begins again from them.
"""
