"""The review page of one item."""
