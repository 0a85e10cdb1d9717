"""Masks over protected text for those who are not shown it, and how one is lifted with a reason."""
