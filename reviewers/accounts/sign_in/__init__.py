"""Sign-in: passwords, second factors, passkeys, throttling and reauthentication."""
