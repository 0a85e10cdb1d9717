"""Settings of the provider; its database, key and address come from whoever starts it."""

import os

SECRET_KEY = "a provider of tests"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "tests.accounts.provider.urls"
USE_TZ = True
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"]
MIDDLEWARE = ["tests.accounts.provider.people.signed_in_by_header"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["PROVIDER_DATABASE"]}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_RSA_PRIVATE_KEY": os.environ["PROVIDER_KEY"],
    "OIDC_ISS_ENDPOINT": os.environ["PROVIDER_ADDRESS"],
    "OAUTH2_VALIDATOR_CLASS": "tests.accounts.provider.people.Validator",
    "SCOPES": {"openid": "who one is", "email": "address"},
    "PKCE_REQUIRED": True,
}
