"""Turns exported from other tools: the files, a reader a tool, and their import."""
