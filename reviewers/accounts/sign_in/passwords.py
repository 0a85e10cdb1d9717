"""Validators of passwords, and tokens of password links. allauth's forms import this module, so it imports none of them."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any, BinaryIO

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ImproperlyConfigured, ValidationError
from zxcvbn import zxcvbn  # type: ignore[import-untyped]  # the package has no types

from reviewers.accounts.models import Membership, User
from reviewers.accounts.queries import list_memberships
from reviewers.web.tenancy import tenant


class TokenGenerator(PasswordResetTokenGenerator):
    """Tokens that are void after a change of password, address or membership, and after the next sign-in."""

    def check_token(self, user: Any, token: str | None) -> bool:
        """Return True if the token works. It locks the account, so that of several who use one at once the first uses it up."""
        if user is not None:
            user.refresh_from_db(from_queryset=User.objects.select_for_update(no_key=True))
        return super().check_token(user, token)

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        with tenant.outside():
            memberships = Membership.objects.filter(user=user).order_by("pk").values_list("pk", "role", "ended_at", "external_until")
            state = "|".join(",".join(map(str, each)) for each in memberships)
        return f"{super()._make_hash_value(user, timestamp)}|{user.email}|{user.is_active}|{state}"


LONGEST_JUDGED = 72
"""Number of characters that strength is estimated from. The estimate takes more than linear time, and a longer password is not weaker."""

_LEAST_SCORE = 3
_SHORTEST_WORD = 4
_DIGITS = 40
_LONGEST_LINE = 128
_WORDS = re.compile(r"[^\W_]+")


class StrengthValidator:
    """Refuse passwords that are guessed soon by zxcvbn's estimate: common ones, names, dates, rows of keys, repeats.

    The person's name and address and the names of their organisations do not count: the rest has to be strong by itself.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ``ValidationError`` for a weak password."""
        known = known_words(user)
        judged = password[:LONGEST_JUDGED]
        if not _is_strong(judged, known) or not _is_strong(_without(judged, known), known):
            raise ValidationError(f"This password is easy to guess. {self.get_help_text()}", code="password_too_weak")

    def get_help_text(self) -> str:
        """Say how to choose a password."""
        return "Use four or more unrelated words, and neither your name nor your organisation’s."


class BreachedValidator:
    """Refuse passwords in a list of breached ones: a file of their SHA-1 in hexadecimal, one a line, sorted.

    Have I Been Pwned's lists, ordered by hash, are such files; text after the hash is ignored. A gigabyte takes some thirty reads, and
    nothing of the password leaves the machine.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ``ValidationError`` for a password in the list."""
        del user
        digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
        try:
            with self.path.open("rb") as lines:
                found = _stands_in(lines, digest)
        except OSError as error:
            raise ImproperlyConfigured("The file that FOOTNOTE_BREACHED_PASSWORDS names cannot be read.") from error
        if found:
            raise ValidationError("This password is in a list of breached passwords. Choose one you use nowhere else.", code="breached")

    def get_help_text(self) -> str:
        """Say what is refused."""
        return "Your password must not be in a list of breached passwords."


def known_words(user: User | None) -> list[str]:
    """Return words that others know of a person, in lower case: names with and without spaces, and their words."""
    if user is None:
        return ["footnote"]
    with tenant.outside():
        names = [each.organisation.name for each in list_memberships(user.pk)]
    found = ["footnote"]
    for name in (user.name, user.email, *names):
        words = _WORDS.findall(name.lower())
        found += [name.lower(), "".join(words), *(word for word in words if len(word) >= _SHORTEST_WORD)]
    return [word for word in dict.fromkeys(found) if word]


def _without(password: str, known: list[str]) -> str:
    """Return the password without the known words, however they are written and spaced."""
    plain = "".join(_WORDS.findall(password.lower()))
    if not any(word in plain for word in known):
        return password
    for word in sorted(known, key=len, reverse=True):
        plain = plain.replace(word, "")
    return plain


def _is_strong(password: str, known: list[str]) -> bool:
    """Return True if the estimate is good enough. An empty password is weak."""
    return bool(password) and int(zxcvbn(password, user_inputs=known)["score"]) >= _LEAST_SCORE


def _stands_in(lines: BinaryIO, digest: bytes) -> bool:
    """Return True if a line of a sorted file begins with the digest, by binary search."""
    low, high = 0, os.fstat(lines.fileno()).st_size
    while low < high:
        middle = (low + high) // 2
        line = _line_from(lines, middle)
        if line and line < digest:
            low = middle + 1
        else:
            high = middle
    return _line_from(lines, low) == digest


def _line_from(lines: BinaryIO, offset: int) -> bytes:
    """Return the digest of the first line that begins at or after the offset; empty at the end."""
    lines.seek(max(offset - 1, 0))
    if offset:
        lines.readline(_LONGEST_LINE)
    return lines.readline(_LONGEST_LINE)[:_DIGITS].upper()
