"""Django's database settings for the two roles."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from reviewers.web import embedded

DEFAULT = "default"
OWNER = "owner"


def read_databases(folder: Path) -> dict[str, dict[str, Any]]:
    """``default`` for the web, which owns no table, and ``owner`` for migrations.

    DATABASE_URL and DATABASE_OWNER_URL name them; with neither, the embedded server in ``folder`` is started.
    """
    web = os.environ.get("DATABASE_URL", "")
    owner = os.environ.get("DATABASE_OWNER_URL", "")
    if not web:
        socket = embedded.start(folder)
        web, owner = embedded.url(socket, embedded.WEB), embedded.url(socket, embedded.OWNER)
        os.environ |= {"DATABASE_URL": web, "DATABASE_OWNER_URL": owner}  # for the processes this one starts
    return {DEFAULT: _settings(web), OWNER: _settings(owner or web)}


def _settings(address: str) -> dict[str, Any]:
    parts = {key: str(value) for key, value in conninfo_to_dict(address).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", ""),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": parts.pop("port", ""),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"application_name": "footnote", **parts},
        "ATOMIC_REQUESTS": False,
    }
