"""Invitations: an organisation offers a role to an address, and whoever owns the address accepts or declines."""
