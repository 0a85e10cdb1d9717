"""Verification: compare the log with itself, with its signatures and with the tables, and name the first row that differs."""
