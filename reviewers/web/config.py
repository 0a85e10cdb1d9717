"""Typed settings from the environment; a wrong or missing one raises ``ImproperlyConfigured``."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from reviewers.devtools import postgres

_RATE = re.compile(r"[1-9][0-9]{0,8}/[smhd]")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


def read_text(name: str, default: str = "") -> str:
    """Return the value of a variable, or the content of the file that ``NAME_FILE`` names."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def read_bool(name: str, *, default: bool) -> bool:
    """Return a switch: 1, true, yes, on or 0, false, no, off."""
    value = os.environ.get(name, "").strip().lower()
    if name not in os.environ:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be 1 or 0.")


def read_price(name: str) -> float:
    """Return a price in any currency; 0 if none is set."""
    value = os.environ.get(name, "").strip() or "0"
    try:
        price = float(value)
    except ValueError:
        price = -1.0
    if not 0 <= price < 1_000_000:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a price, such as 2.5.")
    return price


def read_number(name: str, default: int) -> int:
    """Return a whole number."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number.")
    return int(value)


def read_rate(name: str, default: str) -> str:
    """Return a rate such as 600/m or 10/s; an empty string for no limit."""
    value = os.environ.get(name, default).strip()
    if value and not _RATE.fullmatch(value):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number in a time, such as 600/m.")
    return value


def read_list(name: str, default: str) -> list[str]:
    """Return the values between commas."""
    return [value.strip() for value in os.environ.get(name, default).split(",") if value.strip()]


def read_address(hosts: Sequence[str], *, is_local: bool) -> str:
    """Return the default address of the site: this machine, or the first host over TLS."""
    if is_local:
        return f"http://127.0.0.1:{os.environ.get('FOOTNOTE_PORT', '8000')}"
    return f"https://{hosts[0].lstrip('.')}" if hosts else ""


def read_secret(name: str, generated: Path, *, may_generate: bool) -> str:
    """Return a secret from the environment; on a developer's machine, one generated once in a file that only its owner can read."""
    secret = read_text(name)
    if secret:
        return secret
    if not may_generate:
        raise ImproperlyConfigured(
            f"{name} is not set. Give it fifty random characters, for example from "
            f'python -c "import secrets; print(secrets.token_urlsafe(50))", in {name} or in a file named by {name}_FILE.'
        )
    if not generated.exists():
        write_private(generated, secrets.token_urlsafe(50))
    return generated.read_text(encoding="utf-8")


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, atomically: after a power cut it is whole, or as it was.

    A key that was lost would take with it what was encrypted with it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


LONGEST_NAME = 200


def check_endpoint(url: str, name: str, key: str, timeout: int, *, may_be_plain: bool) -> None:
    """Raise ``ImproperlyConfigured`` for half an endpoint, or one that protected text must not be sent to. A key is optional."""
    if bool(url) != bool(name):
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL and FOOTNOTE_MODEL_NAME belong together; one of them is not set.")
    if key and not url:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_KEY is set without FOOTNOTE_MODEL_URL.")
    if len(name) > LONGEST_NAME:
        raise ImproperlyConfigured(f"FOOTNOTE_MODEL_NAME has more than {LONGEST_NAME} characters.")
    if url:
        _check_url(url, may_be_plain=may_be_plain)
        _check_key(key)
        if timeout < 1:
            raise ImproperlyConfigured("FOOTNOTE_MODEL_TIMEOUT must be one second or more.")


def _check_url(url: str, *, may_be_plain: bool) -> None:
    """Check the address. Messages do not repeat it, as it may contain a password."""
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL must be an address such as https://models.example.org/v1.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL must hold no sign-in, query or fragment; the key belongs in FOOTNOTE_MODEL_KEY.")
    if parts.scheme == "http" and not may_be_plain and not is_loopback(parts.hostname):
        raise ImproperlyConfigured(
            "FOOTNOTE_MODEL_URL is plain http, in which anybody on the way can read answers and sources. "
            "Use https, or set FOOTNOTE_MODEL_PLAIN_HTTP=1 where the way is safe."
        )


def _check_key(key: str) -> None:
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ImproperlyConfigured("FOOTNOTE_MODEL_KEY holds spaces, line breaks or letters that no header can carry.")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        return None
    return parts


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_networks(name: str) -> list[str]:
    """Return networks, such as 10.1.0.0/16, separated by commas."""
    found = read_list(name, "")
    for each in found:
        try:
            ip_network(each)
        except ValueError:
            raise ImproperlyConfigured(f"{name} holds “{each}”, which is no network such as 10.1.0.0/16.") from None
    return found


DEFAULT = "default"
OWNER = "owner"


def read_databases(folder: Path) -> dict[str, dict[str, Any]]:
    """Return Django's databases: ``default`` for the web's role, which owns no table, and ``owner`` for migrations.

    DATABASE_URL and DATABASE_OWNER_URL name them; with neither, the embedded server in ``folder`` is started.
    """
    web = os.environ.get("DATABASE_URL", "")
    owner = os.environ.get("DATABASE_OWNER_URL", "")
    if not web:
        socket = postgres.start(folder)
        web, owner = postgres.url(socket, postgres.WEB), postgres.url(socket, postgres.OWNER)
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


def limit_statements(seconds: int) -> None:
    """Have the database end longer statements on the connections that this process opens from now on."""
    os.environ["PGOPTIONS"] = f"{os.environ.get('PGOPTIONS', '')} -c statement_timeout={seconds}s".strip()
