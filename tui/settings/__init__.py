"""The settings as a person meets them: what each is called, what it does, how it is written."""
