"""The app in a browser: a page on this machine, a process of the app behind each open page."""
