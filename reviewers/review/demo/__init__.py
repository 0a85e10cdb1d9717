"""The demonstration: invented turns from files, and a generator for any number of further ones."""
