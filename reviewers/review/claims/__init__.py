"""Unsupported claims: words of an answer of which a reviewer says that nothing in the record supports them."""
