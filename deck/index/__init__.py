"""The index: what card files and journal say, in SQLite, so that opening reads only what changed.

Derived only: it lies in the user's cache folder, and whoever deletes it gets it back at the next
start, with the same answers.

store         the database: its tables, where it lies, how it is opened, sealed and made anew
codec         events and states as rows, and back
lines         lines of a journal file, as rows (quick: those of an answer)
cards         card files to rows; questions about cards
journal       new lines of the journal to rows
schedule      where each item stands, folded from the events; questions about the past
candidates    what a queue needs to look at, out of everything
stats         figures: what answers met, summed up
words         words and texts of a card, as searches compare them
card_rows     a card file as what the index keeps of it
workers       all that is much, on every processor

What a search means is asked by `deck.search.sql`.
"""
