"""Cards and histories from other programs, and for them.

    read   (anki/, hashcards, obsidian, org, table, json)   a file or a folder -> ImportSource
    plan   (plan.py)    ImportSource + Collection -> Plan: what an import would do, writing nothing
    take   (plan.py)    Plan -> card files, media, journal lines; a second time, what changed
    write  (export/)    Collection -> apkg, CSV, JSON, HTML; the journal as a table

A reader knows nothing of collections, and a plan nothing of formats: `model.py` is all they share.
`readers.py` says which formats there are.  A plan asks `log.py` what an earlier import left,
`history.py` for a card's events, and `reimport.py` about cards of our own exports.
"""
