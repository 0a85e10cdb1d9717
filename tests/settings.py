"""The site's settings, with what makes tests quick and quiet."""

import atexit
import shutil
import tempfile
from pathlib import Path

from reviewers.settings import *  # noqa: F403, TID251 - settings that begin from the site's own

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests sign in often; Argon2 is slow on purpose
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
TEMPLATES[0]["BACKEND"] = "tests.templates.Jinja2"  # noqa: F405 - the site's own, but for the signal that Django's client listens to
WHITENOISE_AUTOREFRESH = True
LOGGING_CONFIG = None
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False
KEY_RATE = KEY_FAILURE_RATE = ""

LEDGER_FOLDER = Path(tempfile.mkdtemp(prefix="footnote-ledger-"))
atexit.register(shutil.rmtree, LEDGER_FOLDER, ignore_errors=True)
