"""Organisations, members and their roles, service keys, permissions, sign-in."""
