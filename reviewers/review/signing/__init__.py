"""Sign-off: what is signed, by whom, in which meaning, and whether it is still so."""
