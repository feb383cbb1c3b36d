"""tui/study"""
