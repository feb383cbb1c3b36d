"""LaTeX to the tree: tokens, the core that reads rows, and a file for each family of commands."""
