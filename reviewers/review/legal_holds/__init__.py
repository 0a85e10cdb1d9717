"""Legal holds: placing them, what they cover, and lifting them by two people."""
