"""Tokens of members: programs of a member act with them as that member, in one organisation."""
