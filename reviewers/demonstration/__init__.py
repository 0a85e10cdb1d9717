"""The demonstration with a year of answers: what `make demo` loads."""
