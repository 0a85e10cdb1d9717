"""An OpenID Connect provider for tests: django-oauth-toolkit as a site and a process of its own."""
