"""Signing in through the identity provider that an organisation trusts."""
