"""tui/lab"""
