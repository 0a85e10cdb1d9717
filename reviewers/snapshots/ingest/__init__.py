"""Ingest: from a turn as it was sent to a frozen snapshot with its attribution."""
