"""What stands in the place of a text that somebody is not shown."""

MASK = "[masked]"
"""Of one length, whatever it stands for."""
