"""Sign-off: statements, signatures, and whether a signature still holds."""
