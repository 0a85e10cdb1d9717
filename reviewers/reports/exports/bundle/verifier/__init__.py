"""Verifies a bundle with the standard library and ``cryptography`` alone. These files are in every bundle, word for word."""
