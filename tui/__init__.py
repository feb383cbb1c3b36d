"""tui: what does the learner see and press?  The only room that imports textual."""
