"""What is here, for other programs: cards, schedules and the journal as files.

    formats.export(source, path, format, progress) -> Report      one file, whole or not at all
    source.Source(collection, now, items or None)                 what is exported

Each format has a function `write_...(source, file, report, progress)`, which writes as it reads:
100,000 cards fit.
"""
