"""deck: what have I studied, and what is due?  See docs/architecture.md."""
