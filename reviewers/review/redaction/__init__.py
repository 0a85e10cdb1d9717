"""Redaction of an item by two people: its redactable parts, proposals, approval and repetitions elsewhere."""
