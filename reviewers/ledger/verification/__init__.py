"""Compares the log with itself, with its signatures and with everything the tables hold, and names the first row that differs."""
