"""Behind the browser: what a row says of an item, and what is done to many at once."""
