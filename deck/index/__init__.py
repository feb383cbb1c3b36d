"""The index: what card files and journal say, in SQLite, so that opening reads only what changed.

Derived only: it lies in the user's cache folder, and whoever deletes it gets it back at the next
start, with the same answers.

store.Store        the database's life: made, opened, sealed, thrown away when it is damaged
schema             its tables
walk → files       which card files changed; reading, workers: what stands in them, on every core
segments           which lines of the journal are new
folding            where each item stands, from the events
select             what a queue needs to look at, out of everything
"""
