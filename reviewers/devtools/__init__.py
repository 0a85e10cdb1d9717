"""Tools for working on a checkout; a deployment needs none of them."""
