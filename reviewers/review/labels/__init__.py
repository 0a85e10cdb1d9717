"""Labels: how they are read, written, undone and submitted."""
