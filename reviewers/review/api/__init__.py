"""The HTTP API of review items: a list by cursor, and one item with its rows, citations, reviews and labels."""
