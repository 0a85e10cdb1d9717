"""The inbox: what waits for a member."""
