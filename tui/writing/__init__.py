"""Behind the editor of a card: what can be completed where, and a buffer that outlives a crash."""
