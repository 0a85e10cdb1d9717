"""Redaction of an item by two people: what can be taken out, who proposes it, who approves it, and what goes with it."""
