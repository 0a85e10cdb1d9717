"""Proofs of identity: the form that asks for one, and their rows, which an act uses up in its own transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from reviewers.accounts.actions import note_second_factor
from reviewers.accounts.audit import SYSTEM, Actor, Announcement, announce, user_actor
from reviewers.accounts.models import Membership, Proof, User
from reviewers.accounts.sessions import provider_organisation
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.sign_in.second_factors import begin_passkey, count_left, find_factor, has_passkey, is_recovery, verify_passkey
from reviewers.web.tenancy import tenant

_KEPT_UNUSED = timedelta(days=1)


class ProofUsed(Exception):  # noqa: N818 — not an error: another act was first
    """The proof was used for another act meanwhile, or has expired."""


@transaction.atomic
def create_proof(*, organisation_id: UUID, user_id: UUID, session_key: str, purpose: str, second_factor: bool, now: datetime) -> Proof:
    """Store a new proof of identity. Call this as the tenant of the organisation."""
    proof = Proof.objects.create(
        organisation_id=organisation_id,
        user_id=user_id,
        session=digest_session(session_key),
        purpose=purpose,
        given_at=now,
        expires_at=now + settings.PROOF_LASTS,
    )
    details = {"purpose": purpose, "second_factor": second_factor, "proof": str(proof.pk)}
    announce(Announcement("proof.given", organisation_id, user_actor(user_id), now, "user", user_id, details))
    return proof


def open_proofs(*, organisation_id: UUID, user_id: UUID, session_key: str | None, purpose: str, now: datetime) -> QuerySet[Proof]:
    """Return the fresh, unused proofs of a person for a purpose, given in this session and organisation."""
    mine = Proof.objects.filter(organisation_id=organisation_id, user_id=user_id, purpose=purpose)
    return mine.filter(session=digest_session(session_key) if session_key else None, used_at=None, expires_at__gt=now).order_by("given_at")


def use_proof(*, proof: Proof, act: str, now: datetime) -> None:
    """Use a proof up in the transaction of an act; raise ``ProofUsed`` if it is used already or has expired.

    If the act is rolled back, the proof is unused again.
    """
    if not Proof.objects.filter(pk=proof.pk, used_at=None, expires_at__gt=now).update(used_at=now, used_for=act):
        raise ProofUsed
    proof.used_at, proof.used_for = now, act


def delete_unused_proofs(*, now: datetime) -> int:
    """Delete the proofs that expired unused a while ago; return how many there were."""
    deleted, _ = Proof.objects.filter(used_at=None, expires_at__lt=now - _KEPT_UNUSED).delete()
    return deleted


def digest_session(key: str) -> str:
    """Return the keyed digest of a session's key: a reader of the table cannot sign in with it."""
    return salted_hmac("footnote.proof", key, algorithm="sha256").hexdigest()


WRONG = "That was not right. Please try again."
WRONG_OF_TWO = "The password or the code was not right. Please try again; a code works once, so wait for the next one."
ACCOUNT = "account"
CLOSED = "There were too many wrong tries. Please wait a few minutes, or sign out and in again."


class ProofForm(forms.Form):
    """Password and code of the second factor, or a passkey instead of both. A valid form is the proof; each outcome is an audit event."""

    password = forms.CharField(strip=False, max_length=1000)
    code = forms.CharField(max_length=50)
    credential = forms.JSONField()

    def __init__(self, request: HttpRequest, purpose: str, *args: Any) -> None:
        super().__init__(*args)
        self.user = cast("User", request.user)
        self.member = cast("Membership | None", getattr(request, "member", None)) or None
        self.purpose = str(purpose)
        self.subject = subject_of_proofs(request, self.user)
        self.session_key = request.session.session_key or ""
        self.proof: Proof | None = None
        self.has_factor = has_second_factor(self.user)
        self.has_passkey = self.has_factor and has_passkey(self.user)
        is_by_passkey = self.has_passkey and bool(self.data.get("credential"))
        unused = ("password", "code") if is_by_passkey else ("credential",) if self.has_factor else ("credential", "code")
        for name in unused:
            del self.fields[name]

    @property
    def passkey_options(self) -> str:
        """Return the options that the page's script passes to the browser; the challenge is kept in the session."""
        return json.dumps(begin_passkey(self.user))

    @transaction.atomic
    def clean(self) -> dict[str, Any]:
        """Validate the proof. A failure is counted and announced in one transaction, which commits because no exception leaves it."""
        now = timezone.now()
        if self.errors:
            return self.cleaned_data
        if throttle.is_blocked(self.subject, now):
            self.add_error(None, CLOSED)
        elif self._is_right():
            throttle.reset_failures(self.subject)
            self._give(now)
        else:
            throttle.count_failure(self.subject, now)
            self._announce("proof.refused", SYSTEM, now, self._told())
            self.add_error(None, WRONG_OF_TWO if self.has_factor else WRONG)
        return self.cleaned_data

    def _is_right(self) -> bool:
        """Return True for the right proof. A code is checked only after the right password: a wrong password must not use it up."""
        if "credential" in self.fields:
            return is_passkey_of(self.user, self.cleaned_data["credential"])
        is_password = self.user.check_password(self.cleaned_data["password"])
        return is_password and (not self.has_factor or self._is_right_code(self.cleaned_data["code"]))

    def _is_right_code(self, code: str) -> bool:
        factor = find_factor(self.user, code)
        if factor is not None and is_recovery(factor):
            self._announce("recovery_code.used", user_actor(self.user.pk), timezone.now(), {"left": count_left(factor)})
        return factor is not None

    def _give(self, now: datetime) -> None:
        """Store the proof in the organisation in which it is used; a proof for one's own account is only announced."""
        if self.member is None or self.purpose == ACCOUNT:
            self._announce("proof.given", user_actor(self.user.pk), now, self._told())
        else:
            with tenant.within(self.member.organisation_id):
                self.proof = create_proof(
                    organisation_id=self.member.organisation_id,
                    user_id=self.user.pk,
                    session_key=self.session_key,
                    purpose=self.purpose,
                    second_factor=self.has_factor,
                    now=now,
                )
        if self.member is not None and self.has_factor:
            with tenant.within(self.member.organisation_id):
                note_second_factor(member=self.member, at=now)

    def _told(self) -> Mapping[str, Any]:
        return {"purpose": self.purpose, "second_factor": self.has_factor}

    def _announce(self, action: str, by: Actor, now: datetime, details: Mapping[str, Any]) -> None:
        announce_here(self.member, self.user, action, by, now, details)


def subject_of_proofs(request: HttpRequest, user: User) -> str:
    """Return the subject of wrong passwords and codes of somebody who is signed in: they count for this session, or for its provider's."""
    return throttle.subject_of("proof", user.pk, provider_organisation(request.session) or request.session.session_key)


def announce_here(member: Membership | None, user: User, action: str, by: Actor, now: datetime, details: Mapping[str, Any]) -> None:
    """Announce what a person did to the organisation in which it happened, and to no other."""
    if member is not None:
        with tenant.within(member.organisation_id):
            announce(Announcement(action, member.organisation_id, by, now, "user", user.pk, details))


def has_second_factor(user: User) -> bool:
    """Return True if the user has set up a second factor."""
    return bool(is_mfa_enabled(user, [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]))


def is_passkey_of(user: User, credential: Any) -> bool:
    """Return True if one of the user's passkeys responded. It verified them, so it proves as much as password and code."""
    try:
        verify_passkey(user, credential)
    except ValidationError:
        return False
    return True
