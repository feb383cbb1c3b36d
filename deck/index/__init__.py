"""The index: what card files and journal say, in SQLite, so that opening reads only what changed.

Derived only: it lies in the user's cache folder, and whoever deletes it gets it back at the next
start, with the same answers.

store.Store        the database's life: made, opened, sealed, thrown away when it is damaged
schema             its tables
walk → files       which card files changed; reading: what stands in them; change: in and out of it
stamps, segments   which lines of the journal are new; lines, quick: what they say; intake: into it
folding, stretch   where each item stands, from the events
workers, spread    all that is much, on every processor
cards, lookup      questions about cards; past: about events
select, heads      what a queue needs to look at, out of everything
find, order        what a search means
sight, figures     what answers met, tallied; present, tallied: figures out of that
"""
