"""Settings from the environment, typed, and loud where one is wrong or missing."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_RATE = re.compile(r"[1-9][0-9]{0,8}/[smhd]")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


def read_text(name: str, default: str = "") -> str:
    """The value of a variable, or of the file that ``NAME_FILE`` points to."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def read_bool(name: str, *, default: bool) -> bool:
    """A switch: 1, true, yes, on or 0, false, no, off."""
    value = os.environ.get(name, "").strip().lower()
    if name not in os.environ:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be 1 or 0.")


def read_price(name: str) -> float:
    """A price, in whatever currency; 0 where none is set."""
    value = os.environ.get(name, "").strip() or "0"
    try:
        price = float(value)
    except ValueError:
        price = -1.0
    if not 0 <= price < 1_000_000:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a price, such as 2.5.")
    return price


def read_number(name: str, default: int) -> int:
    """A whole number."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number.")
    return int(value)


def read_rate(name: str, default: str) -> str:
    """So many in a time, such as 600/m or 10/s; empty for no limit."""
    value = os.environ.get(name, default).strip()
    if value and not _RATE.fullmatch(value):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number in a time, such as 600/m.")
    return value


def read_list(name: str, default: str) -> list[str]:
    """Values between commas."""
    return [value.strip() for value in os.environ.get(name, default).split(",") if value.strip()]


def read_address(hosts: Sequence[str], *, is_local: bool) -> str:
    """Return the address that people open where none is set: this machine, or the first host over TLS."""
    if is_local:
        return f"http://127.0.0.1:{os.environ.get('FOOTNOTE_PORT', '8000')}"
    return f"https://{hosts[0].lstrip('.')}" if hosts else ""


def read_secret(name: str, generated: Path, *, may_generate: bool) -> str:
    """A secret from the environment; on a developer's machine one that is made once and kept in a file only its owner reads."""
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
    """Write a file that only its owner can read: all of it or, if something comes between, none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(path)
