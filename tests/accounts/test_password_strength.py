"""Passwords that are guessed first are refused, offline."""

from __future__ import annotations

import hashlib
import time

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured, ValidationError

from reviewers.accounts.sign_in.passwords import BreachedValidator, StrengthValidator
from tests.factories import PASSWORD, make_member, make_organisation


@pytest.fixture
def nora(db):
    return make_member(make_organisation("North Clinic"), name="Nora Neumann").user


GUESSED = [
    "123456789012",
    "aaaaaaaaaaaa",
    "northclinic2026",
    "North Clinic 2026",
    "North-Clinic-2026!",
    "2026NorthClinic",
    "northclinicnorthclinic",
    "NoraNeumann1987",
    "neumann.nora.2026",
    "footnote12345",
    "qwertyuiop12",
    "Password12345",
    "P@ssw0rd1234",
    "abcdefghijkl",
    "123412341234",
]


@pytest.mark.parametrize("password", GUESSED)
def test_what_is_guessed_first_is_refused(nora, password):
    with pytest.raises(ValidationError):
        validate_password(password, nora)


@pytest.mark.parametrize("password", [PASSWORD, "the north wind was cold", "correct staple battery horse", "x7$kQ9vLm2pzQ", "Ж" + PASSWORD])
def test_what_is_not_guessed_soon_is_taken(nora, password):
    validate_password(password, nora)


def test_a_very_long_one_takes_no_longer_than_a_short_one():
    before = time.process_time()
    StrengthValidator().validate(PASSWORD * 10_000)

    assert time.process_time() - before < 1


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_a_breached_password_is_refused_wherever_it_stands_in_the_list(tmp_path, count):
    words = [f"breached passphrase {number}" for number in range(count)]
    digests = sorted(hashlib.sha1(word.encode(), usedforsecurity=False).hexdigest().upper() for word in words)
    path = tmp_path / "breached.txt"
    path.write_text("".join(f"{digest}:{number * 7}\r\n" for number, digest in enumerate(digests)), encoding="ascii")
    validator = BreachedValidator(str(path))

    for word in words:
        with pytest.raises(ValidationError, match="breached"):
            validator.validate(word)
    for number in range(200):
        validator.validate(f"kept passphrase {number}")


def test_an_empty_list_refuses_nothing_and_one_that_is_away_everything(tmp_path):
    (tmp_path / "empty").touch()
    BreachedValidator(str(tmp_path / "empty")).validate(PASSWORD)

    with pytest.raises(ImproperlyConfigured, match="FOOTNOTE_BREACHED_PASSWORDS"):
        BreachedValidator(str(tmp_path / "away")).validate(PASSWORD)
