"""How citations are written: one module for each grammar."""
