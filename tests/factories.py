"""Makes what tests need, by the actions the site itself uses."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import get_random_string

from reviewers.accounts.actions import add_member, create_organisation, create_service_key
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Organisation, Role, Scope, User
from reviewers.accounts.sessions import SessionStore
from reviewers.accounts.sign_in.proofs import digest_session
from reviewers.accounts.sign_in.reauthentication import WINDOWS, Purpose
from reviewers.review.items import ReviewItem
from reviewers.review.labels.claims import save_claim
from reviewers.review.labels.queries import StoredClaimLabel
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import Flag, FlagKind, QueueItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.review_status import ReviewStatus
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.versions.in_use import FreezingTerms
from reviewers.web.models import uuid7
from reviewers.web.tenancy import tenant

USUAL_TERMS = FreezingTerms(Organisation())
"""The terms of an organisation that has set nothing."""

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
PASSWORD = "a long enough passphrase"

ANSWER = (
    "Your risk is elevated [[SF:risk_level]] at the moment, so I looked for somebody soon. Dr. Ada Quill takes new clients, "
    "and the fit comes out at 85% [[TF:fit_score]]. If you were at low risk, two weeks would be fine."
)
CONTEXT: Mapping[str, Any] = {
    "safety": {"risk_level": "elevated", "crisis_plan_on_file": True},
    "provider_genome": {"provider_name": "Dr. Ada Quill", "accepting_new": True, "fee_range": "$81-$110"},
    "therapeutic_fit": {"fit_score": 0.85},
}

CITED: Mapping[str, Any] = {
    "response": "Adults start with 3 mg in the evening [1]. Your risk is elevated [[SF:risk_level]], so ask first [2].",
    "documents": [
        {
            "id": "sleep-7",
            "title": "Melatonin for adults",
            "url": "https://www.fda.gov/sleep",
            "published_at": "2025-06-01",
            "content": "Melatonin helps some people. Adults start with 2 mg in the evening, an hour before going to bed.",
        },
        {"title": "Asking first", "url": "https://notes.example.org/ask", "content": "Whoever takes other medicines should ask first."},
        {"title": "Nobody cites this", "content": "Coffee keeps awake."},
    ],
}
"""A record's answer that cites documents, one of them with a figure that it does not have."""

UNCITED: Mapping[str, Any] = {
    "response": "Whoever takes other medicines should ask first. Your risk is elevated [[SF:risk_level]].",
    "documents": CITED["documents"],
}
"""A record's answer that cites none of its documents, though one of them says its first sentence."""
BOTH: Mapping[str, Any] = {
    "response": f"{ANSWER} Whoever takes other medicines should ask first [2].",
    "documents": CITED["documents"],
}
"""A record's answer that draws on fields and cites a document that supports it."""

_numbers = itertools.count(1)


def make_organisation(name: str = "Quillbrook Care") -> Organisation:
    """An organisation of its own. A test stands within the first one it makes, and goes into others with ``walls.within``."""
    organisation = create_organisation(slug=f"organisation-{next(_numbers)}", name=name, at=NOW)
    if tenant.current() is None:
        tenant.enter(organisation.pk)
    return organisation


def make_member(organisation: Organisation, role: str = Role.REVIEWER, name: str = "Alice Aldous") -> Membership:
    """Somebody with a role."""
    user = User.objects.create_user(email=f"person-{next(_numbers)}@example.org", name=name, password=PASSWORD)
    with tenant.within(organisation.pk):
        return add_member(organisation=organisation, user=user, role=role, at=NOW)


def make_key(organisation: Organisation, *scopes: str) -> str:
    """A service key; returns its secret."""
    owner = make_member(organisation, Role.ADMINISTRATOR, "Ines Ixworth").user
    with tenant.within(organisation.pk):
        return create_service_key(
            organisation=organisation, owner=owner, name="runtime", scopes=scopes or [Scope.INGEST, Scope.READ], at=NOW, by=SYSTEM
        )[1]


def make_record(**changes: Any) -> dict[str, Any]:
    """A record as a client sends it."""
    record: dict[str, Any] = {
        "id": f"turn-{next(_numbers)}",
        "conversation_id": "conversation-1",
        "turn_index": 3,
        "client_reference": "client-1",
        "model": "model-a",
        "prompt_version": "prompt 1",
        "answered_at": "2026-03-03T19:42:08-06:00",
        "user_text": "hi, is there somebody for evenings?",
        "response": ANSWER,
        "context": CONTEXT,
    }
    return {key: value for key, value in (record | changes).items() if value is not None}


def make_item(organisation: Organisation, **changes: Any) -> QueueItem:
    """A frozen record in the queue."""
    (item,) = make_items(organisation, changes)
    return item


def make_items(organisation: Organisation, *changes: Mapping[str, Any]) -> list[QueueItem]:
    """Several frozen records in the queue, sent together."""
    records = [read_record(json.dumps(make_record(**each)).encode()) for each in changes]
    with tenant.within(organisation.pk):
        outcomes = ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW)
        assert not [outcome.error for outcome in outcomes if outcome.error]
        found = QueueItem.objects.select_related("snapshot", "attribution").in_bulk([outcome.snapshot_id for outcome in outcomes])
        return [found[outcome.snapshot_id] for outcome in outcomes]


def sign_in(member: Membership, **options: Any) -> Client:
    """A browser of somebody signed in, who has just proved who they are a few times for everything but signing."""
    several = [purpose for purpose in Purpose if purpose not in WINDOWS | {Purpose.SIGN}]
    return prove(without_proofs(member, **options), member, Purpose.EXPORT, *several * 5)


def prove(client: Client, member: Membership, *purposes: Purpose, age: timedelta = timedelta()) -> Client:
    """Give fresh proofs, as the page that asks would, without its events."""
    given = timezone.now() - age
    told = [member.organisation_id, member.user_id, digest_session(client.cookies[settings.SESSION_COOKIE_NAME].value)]
    rows = [(uuid7(), purpose.value) for purpose in purposes]
    with tenant.within(member.organisation_id), connection.cursor() as cursor:
        cursor.execute(_PROVE, [*told, given, given + settings.PROOF_LASTS, *map(list, zip(*rows, strict=True))])
    return client


_PROVE = """
INSERT INTO accounts_proof (organisation_id, user_id, session, given_at, expires_at, used_for, id, purpose)
SELECT %s, %s, %s, %s, %s, '', * FROM unnest(%s::uuid[], %s::text[])
"""


class _NewSession(SessionStore):
    """A session that is written once, when it is whole: Django's client writes it four times, and everybody signs in."""

    key_salt = SessionStore().key_salt

    def cycle_key(self) -> None:
        self._session_key = get_random_string(32, VALID_KEY_CHARS)


def without_proofs(member: Membership, **options: Any) -> Client:
    """A browser of somebody signed in, who has proved nothing since. It does what `Client.force_login` does."""
    client, request = Client(**options), HttpRequest()
    request.session = _NewSession()
    with tenant.outside():
        login(request, member.user, settings.AUTHENTICATION_BACKENDS[0])
        request.session.save(must_create=True)
    client._set_login_cookies(request)
    return client


def label(client: Client, item: QueueItem, number: int = 0, verdict: str = Verdict.CORRECT, **more: Any) -> HttpResponse:
    """Give a row a verdict on the page, as a plain form; ``headers`` go to the request, the rest into the form."""
    headers = more.pop("headers", None)
    form = {"row": number, "attribution": str(item.attribution_id), "verdict": verdict} | more
    return client.post(reverse("label", args=[item.pk]), form, headers=headers)


def choose(item: QueueItem, number: int = 0, reason: str = "") -> RowChoice:
    """A row of the item as it is shown now."""
    return RowChoice(item.pk, item.attribution_id, number, reason)


def label_citation(client: Client, item: QueueItem, number: int = 0, verdict: str = "supports", **more: Any) -> HttpResponse:
    """Give a citation a verdict on the page; the rest as for ``label``."""
    headers = more.pop("headers", None)
    form = {"citation": number, "attribution": str(item.attribution_id), "verdict": verdict} | more
    return client.post(reverse("label_citation", args=[item.pk]), form, headers=headers)


def choose_finding(item: QueueItem, code: str) -> RowChoice:
    """A finding of the item as it is shown now, by its code."""
    codes = [finding.code.value for finding in ReviewItem(item, ReviewStatus(), ()).attribution.guardrails]
    return RowChoice(item.pk, item.attribution_id, codes.index(code))


def flag_finding(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> Flag:
    """Flag the finding that a choice names by its number."""
    found = FlagChoice(choice.item_id, choice.attribution_id, FlagKind.FINDING, choice.number)
    return put_flag(choice=found, note=note, by=by, now=now)


def claim_words(
    item: QueueItem, by: Membership, words: str = "", note: str = "", now: datetime = NOW, reason: str = ""
) -> StoredClaimLabel:
    """Say that words of an answer, by default its first two, are not in the record."""
    said = words or " ".join(load_item(by, item.pk).unmarked.text.split()[:2])
    return save_claim(choice=choose(item, reason=reason), words=said, note=note, by=by, now=now)


def flag_form(item: QueueItem, code: str, note: str) -> dict[str, Any]:
    """The form that puts a remark to a finding."""
    choice = choose_finding(item, code)
    return {"finding": choice.number, "attribution": str(choice.attribution_id), "note": note}


def as_seen_by(member: Membership, item: QueueItem) -> ReviewItem:
    """The item as its page would load it for a member."""
    return load_item(member, item.pk)
