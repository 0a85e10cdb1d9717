"""Invented turns to look at, read from files, and as many more as are asked for, from a generator."""
