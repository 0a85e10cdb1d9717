"""Signing in: passwords, second factors, passkeys, throttling, and proving again who one is."""
