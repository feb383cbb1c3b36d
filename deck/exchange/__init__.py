"""Cards and histories from other programs, and for them.

    read  (anki, hashcards, obsidian, org, table, json)   a file or a folder -> Bundle
    plan  (plan.py)     Bundle + Collection -> Plan: what an import would do, writing nothing
    take  (take.py)     Plan -> card files, media, journal lines; a second time, what changed
    write (export/)     Collection -> apkg, CSV, JSON, HTML, Markdown; the journal as a table

A reader knows nothing of collections, and `plan` nothing of formats: `bundle.py` is all they share.
`readers.py` says which formats there are.  A plan asks `known.py` and `ledger.py` what an earlier
import left, `card_text.py` for a card's file, `histories.py` and `deeds.py` for its events,
`pairs.py` for notes of two cards, `media.py` and `places.py` for safe names; `summary.py` is what
it comes to.
"""
