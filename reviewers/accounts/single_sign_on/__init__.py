"""Single sign-on through the identity provider that an organisation trusts."""
