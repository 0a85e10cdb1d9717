"""The demonstration that `make demo` loads: turns written by hand with their reviews, and a year that went before."""
