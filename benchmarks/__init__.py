"""Measurements: how fast, how large, how right. ``make bench`` prints a table; nothing here is a test."""
