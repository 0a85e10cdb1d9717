"""Loads the demonstration: an organisation with one sign-in for each role, its turns, and part of the queue already labelled."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.text import slugify

from attribution import canonical_bytes
from reviewers.accounts.actions import (
    add_member,
    create_organisation,
    create_service_key,
    switch_citation_search,
    switch_citations,
    switch_repair,
)
from reviewers.accounts.announcements import Actor, user_actor
from reviewers.accounts.models import Membership, Organisation, Role, Scope, SearchWay, User
from reviewers.review import actions, demonstration
from reviewers.review.authoring import RowChoice
from reviewers.review.citation_actions import save_citation_label
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.demonstration.generated import generate
from reviewers.review.demonstration.signing import sign_some
from reviewers.review.demonstration_plan import load_plan
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item, field_key
from reviewers.review.models import Verdict
from reviewers.snapshots.actions import Outcome, ingest
from reviewers.snapshots.records import Record, read_record
from reviewers.web import walls
from reviewers.web.environment import write_private

SLUG = "harbor-lights"
_NAME = "Harbor Lights Care"
_PEOPLE = {
    Role.REVIEWER: "Marguerite Oyelaran",
    Role.LEAD: "Tobias Lindqvist-Rao",
    Role.COORDINATOR: "Imani Castellucci",
    Role.AUDITOR: "Renske Abernathy",
    Role.ADMINISTRATOR: "Joaquín Vestergaard",
}
_SECOND_REVIEWER = "Oyvind Castellanos-Reyes"
_TURNS = Path(demonstration.__file__).parent / "turns"
_SECONDS_A_LABEL = 4
_LOADED_BEFORE = timedelta(days=7)
"""How long before the moment of loading everything was made, so that the reviews of the last two days come after it."""

_BATCH = 500


@dataclass(frozen=True, slots=True)
class SignIn:
    """A way into the demonstration."""

    role: str
    name: str
    email: str


@transaction.atomic
def load(*, folder: Path, now: datetime) -> tuple[list[SignIn], str]:
    """Load the demonstration, all of it or nothing, unless it is there; returns the sign-ins and the password they share.

    The password is made up on this machine and kept, with a service key for trying the API, in files only their owner can read.
    """
    sign_ins = [SignIn(role.label, name, _email(role)) for role, name in _PEOPLE.items()]
    second = SignIn(Role.REVIEWER.label, _SECOND_REVIEWER, "second-reviewer@harborlights.example")
    password_file = folder / "password"
    if Organisation.objects.filter(slug=SLUG).exists():
        return [*sign_ins, second], password_file.read_text(encoding="utf-8").strip()
    password = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}-{secrets.token_hex(2)}"
    write_private(password_file, password + "\n")
    organisation = create_organisation(slug=SLUG, name=_NAME, at=now - _LOADED_BEFORE)
    with walls.within(organisation.pk):
        _fill(organisation, sign_ins, second, make_password(password), folder, now)
    return [*sign_ins, second], password


def _fill(organisation: Organisation, sign_ins: Sequence[SignIn], second: SignIn, hashed: str, folder: Path, now: datetime) -> None:
    """``hashed`` is the password of all of them: hashing one takes long on purpose, so it is done once."""
    begun = now - _LOADED_BEFORE
    members = {sign_in.role: _add(organisation, sign_in, role, hashed, begun) for role, sign_in in zip(_PEOPLE, sign_ins, strict=True)}
    administrator = members[Role.ADMINISTRATOR.label]
    _, key = create_service_key(
        organisation=organisation,
        owner=administrator.user,
        name="Demonstration",
        scopes=[Scope.INGEST, Scope.READ],
        at=begun,
        by=user_actor(administrator.user_id),
    )
    write_private(folder / "key", key)
    lead = members[Role.LEAD.label]
    switch_citations(organisation=organisation, on=True, at=begun, by=user_actor(lead.user_id))
    switch_citation_search(organisation=organisation, to=SearchWay.WORDS, at=begun, by=user_actor(lead.user_id))
    reviewer = members[Role.REVIEWER.label]
    _load_turns(organisation, administrator, reviewer, lead, now)
    load_plan(lead=lead, first=reviewer, second=_add(organisation, second, Role.REVIEWER, hashed, begun), now=now)


def load_generated(count: int, *, now: datetime) -> None:
    """Load so many generated turns besides; those that are there already stay as they are."""
    organisation = Organisation.objects.get(slug=SLUG)
    administrator = Membership.objects.get(organisation=organisation, user__email=_email(Role.ADMINISTRATOR))
    for first in range(1, count + 1, _BATCH):
        turns = generate(min(_BATCH, count + 1 - first), first=first)
        records = [read_record(canonical_bytes(turn)) for turn in turns]
        with walls.within(organisation.pk):
            ingest(records=records, organisation=organisation, by=user_actor(administrator.user_id), at=now)


def read_turns() -> list[tuple[Mapping[str, Any], Record]]:
    """The hand-written turns, each with what its file says besides, in the order of the files."""
    files = [json.loads(path.read_bytes()) for path in sorted(_TURNS.glob("*.json"))]
    return [(data, read_record(canonical_bytes(data["turn"]))) for data in files]


def _email(role: Role) -> str:
    return f"{slugify(role.label)}@harborlights.example"


def _add(organisation: Organisation, sign_in: SignIn, role: str, hashed: str, now: datetime) -> Membership:
    user = User.objects.create(email=sign_in.email, name=sign_in.name, password=hashed)
    return add_member(organisation=organisation, user=user, role=role, at=now)


def _load_turns(organisation: Organisation, administrator: Membership, reviewer: Membership, lead: Membership, now: datetime) -> None:
    turns = read_turns()
    begun, by = now - _LOADED_BEFORE, user_actor(administrator.user_id)
    outcomes = ingest(records=[record for data, record in turns if not data.get("repairs")], organisation=organisation, by=by, at=begun)
    outcomes += _ingest_repaired([record for data, record in turns if data.get("repairs")], organisation, by, lead, begun)
    by_id = {outcome.external_id: outcome for outcome in outcomes}
    labelled = [(data, by_id[record.external_id]) for data, record in turns if data.get("labels")]
    for number, (data, outcome) in enumerate(labelled):
        member = lead if number % 5 == 4 else reviewer
        if outcome.snapshot_id is not None:
            _review(load_item(member, outcome.snapshot_id), data, member, now - timedelta(hours=len(labelled) - number))
    sign_some(reviewer=reviewer, lead=lead, now=now)


def _ingest_repaired(records: Sequence[Record], organisation: Organisation, by: Actor, lead: Membership, at: datetime) -> list[Outcome]:
    """Those that show evidence attached afterwards come while the organisation has that done, and nothing is looked for."""
    turned: dict[str, Any] = {"organisation": organisation, "at": at, "by": user_actor(lead.user_id)}
    switch_citation_search(to=SearchWay.OFF, **turned)
    switch_repair(on=True, **turned)
    outcomes = ingest(records=records, organisation=organisation, by=by, at=at)
    switch_repair(on=False, **turned)
    switch_citation_search(to=SearchWay.WORDS, **turned)
    return outcomes


def _review(item: Item, data: Mapping[str, Any], by: Membership, now: datetime) -> None:
    """Label an item as its file says; ``*`` stands for every other found row, and finishes the review."""
    now = _label_citations(item, data.get("citation_labels", ()), by, now)
    labels: Mapping[str, Mapping[str, str]] = data["labels"]
    rest = labels.get("*")
    for number, row in enumerate(item.attribution.fields):
        label = labels.get(".".join(field_key(row))) or (rest if row.is_used else None)
        if label:
            now += timedelta(seconds=_SECONDS_A_LABEL)
            verdict = Verdict(label["verdict"])
            choice = RowChoice(item.id, item.row.attribution_id, number)
            actions.save_label(choice=choice, verdict=verdict, note=label.get("note", ""), by=by, now=now)
    if rest:
        actions.submit(item_id=item.id, by=by, now=now)


def _label_citations(item: Item, labels: Sequence[Mapping[str, str]], by: Membership, now: datetime) -> datetime:
    """Label the citations, in their order; returns when that was done."""
    for number, label in enumerate(labels):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        choice = RowChoice(item.id, item.row.attribution_id, number)
        save_citation_label(choice=choice, verdict=CitationVerdict(label["verdict"]), note=label.get("note", ""), by=by, now=now)
    return now
