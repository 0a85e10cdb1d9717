"""The program that verifies a bundle with the standard library and ``cryptography`` alone. Every bundle has a copy of these modules."""
