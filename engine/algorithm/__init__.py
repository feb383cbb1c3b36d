"""A NumPy function as an exercise: it equals a brute-force definition, and grows no faster."""
