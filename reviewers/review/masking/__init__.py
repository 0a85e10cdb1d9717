"""Masks over protected text, and how a member reveals it with a reason."""
