"""The site's settings, with what makes tests quick and quiet."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import psycopg
from jinja2 import FileSystemBytecodeCache

from reviewers.devtools import postgres

HAS_OWN_SERVER = not os.environ.keys() & {"DATABASE_URL", "FOOTNOTE_VAR"}
os.environ.setdefault("FOOTNOTE_VAR", str(Path(__file__).parents[1] / "var" / "tests"))

from reviewers.settings import *  # noqa: E402, F403, TID251 - settings that begin from the site's own, in a folder of the tests

if HAS_OWN_SERVER:
    # Commits of tests need not outlast the machine.
    with psycopg.connect(postgres.url(DATABASES["owner"]["HOST"], "postgres", "postgres"), autocommit=True) as server:  # noqa: F405
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            server.execute(f"ALTER SYSTEM SET {name} = off")
        server.execute("SELECT pg_reload_conf()")

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests sign in often; Argon2 is slow on purpose
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
COMPILED = Path(os.environ["FOOTNOTE_VAR"]) / "jinja"
COMPILED.mkdir(parents=True, exist_ok=True)
TEMPLATES[0]["OPTIONS"]["bytecode_cache"] = FileSystemBytecodeCache(str(COMPILED))  # noqa: F405 - compiled once for all processes
TEMPLATES[0]["BACKEND"] = "tests.templates.Jinja2"  # noqa: F405 - the site's own, but for the signal that Django's client listens to
WHITENOISE_AUTOREFRESH = True
LOGGING_CONFIG = None
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False
KEY_RATE = KEY_FAILURE_RATE = ""

LEDGER_FOLDER = Path(tempfile.mkdtemp(prefix="footnote-ledger-"))
atexit.register(shutil.rmtree, LEDGER_FOLDER, ignore_errors=True)
METRICS_TOKEN = "the-token-of-all-tests"
