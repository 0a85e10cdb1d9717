"""Judges whether somebody is who they are signed in as: by the password, and by the second factor where there is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from reviewers.accounts import hurdles
from reviewers.accounts.actions import note_second_factor
from reviewers.accounts.announcements import SYSTEM, Actor, Announcement, announce, user_actor
from reviewers.accounts.given_proofs import give_proof
from reviewers.accounts.models import Membership, Proof, User
from reviewers.accounts.passkeys import ask, has_passkey, judge
from reviewers.accounts.recovery_codes import count_left, find_factor, is_recovery
from reviewers.accounts.single_sign_on.sessions import organisation_of
from reviewers.web import walls

WRONG = "That was not right. Please try again."
WRONG_OF_TWO = "The password or the code was not right. Please try again; a code works once, so wait for the next one."
ACCOUNT = "account"
CLOSED = "There were too many wrong tries. Please wait a few minutes, or sign out and in again."


class ProofForm(forms.Form):
    """The password and a code of the second factor, or a passkey instead of both. Being valid is the proof; both ways it is an event."""

    password = forms.CharField(strip=False, max_length=1000)
    code = forms.CharField(max_length=50)
    credential = forms.JSONField()

    def __init__(self, request: HttpRequest, purpose: str, *args: Any) -> None:
        super().__init__(*args)
        self.user = cast("User", request.user)
        self.member = cast("Membership | None", getattr(request, "member", None)) or None
        self.purpose = str(purpose)
        self.subject = hurdles.subject_of("proof", self.user.pk, organisation_of(request.session) or request.session.session_key)
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
        """What the page's script asks the browser for; a challenge is kept in the session for it."""
        return json.dumps(ask(self.user))

    @transaction.atomic
    def clean(self) -> dict[str, Any]:
        """Judge it. The failure is counted and announced in one transaction; as an answer it is no exception, so it stays."""
        now = timezone.now()
        if self.errors:
            return self.cleaned_data
        if hurdles.is_closed(self.subject, now):
            self.add_error(None, CLOSED)
        elif self._is_right():
            hurdles.forget(self.subject)
            self._give(now)
        else:
            hurdles.count_failure(self.subject, now)
            self._announce("proof.refused", SYSTEM, now, self._told())
            self.add_error(None, WRONG_OF_TWO if self.has_factor else WRONG)
        return self.cleaned_data

    def _is_right(self) -> bool:
        """The code is looked at only behind the right password: a wrong one must not use it up."""
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
        """Keep the proof as a row of the organisation in which it is used; how one signs in is no organisation's."""
        if self.member is None or self.purpose == ACCOUNT:
            self._announce("proof.given", user_actor(self.user.pk), now, self._told())
        else:
            with walls.within(self.member.organisation_id):
                self.proof = give_proof(
                    organisation_id=self.member.organisation_id,
                    user_id=self.user.pk,
                    session_key=self.session_key,
                    purpose=self.purpose,
                    second_factor=self.has_factor,
                    now=now,
                )
        if self.member is not None and self.has_factor:
            with walls.within(self.member.organisation_id):
                note_second_factor(member=self.member, at=now)

    def _told(self) -> Mapping[str, Any]:
        return {"purpose": self.purpose, "second_factor": self.has_factor}

    def _announce(self, action: str, by: Actor, now: datetime, details: Mapping[str, Any]) -> None:
        """Announce it to the organisation in which it happened, and to no other: what somebody does here is not theirs to know."""
        if self.member is not None:
            with walls.within(self.member.organisation_id):
                announce(Announcement(action, self.member.organisation_id, by, now, "user", self.user.pk, details))


def has_second_factor(user: User) -> bool:
    """Whether somebody has set one up."""
    return bool(is_mfa_enabled(user, [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]))


def is_passkey_of(user: User, credential: Any) -> bool:
    """Return whether one of somebody's passkeys answered; it verified them, so it proves as much as password and code."""
    try:
        judge(user, credential)
    except ValidationError:
        return False
    return True
