"""Flags, what became of them, and comments."""
