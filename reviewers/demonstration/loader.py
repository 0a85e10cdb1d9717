"""Loads the demonstration: an organisation with its people, its turns, reviews, a plan and signatures.

There are two reviewers, and two leads, so that one can approve what the other proposes. A `Story` adds what came before and after; what
`make demo` loads has a year of it (``year.py``).

The plan is blind with two reviewers an answer, control rows and a guide. Some of its reviews are in: on one answer they conflict, on a row
and on whether words of it are in the record, and it waits for a lead; on another a lead has decided the conflict.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone
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
from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.models import Membership, Organisation, Role, Scope, SearchWay, User
from reviewers.accounts.sign_in.proofs import create_proof
from reviewers.demonstration.generator import generate
from reviewers.review.adjudication.actions import Ruling, decide_conflict
from reviewers.review.adjudication.decisions import load_item_reviews
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels import actions
from reviewers.review.labels.claims import save_claim
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict, Draw, Meaning, Submission, Verdict
from reviewers.review.plans.actions import create_plan, start_plan
from reviewers.review.plans.sampling import Design, PlanTerms, stored_of
from reviewers.review.queries import load_item
from reviewers.review.queue.filters import Filter
from reviewers.review.signing.actions import Intent, sign
from reviewers.review.signing.statements import digest_of, load_reviews, state_now
from reviewers.snapshots.ingest.actions import IngestOutcome, ingest
from reviewers.snapshots.ingest.records import Record, read_record
from reviewers.web.config import write_private
from reviewers.web.tenancy import tenant

NAME = "Second look, blind"
SIZE = 8
_DUE = timedelta(days=9)
_NOWHERE = "Nothing that the assistant was given says so."
_GUIDE = """\
A row claims that the answer draws on a field of the record. Call it correct if the answer says what the field says, in whatever words; \
wrong if the answer says nothing of it, or says it for another reason; misstated if it speaks of the field but gives another value.

A citation supports its words if somebody who has only the source would agree with them. What is true but is not in the source \
is not supported.

Judge each row on its own. Do not talk about an answer before both reviews are in."""


def load_plan(people: People, story: Story, now: datetime) -> None:
    """Create and start the plan; the first reviewer submits four reviews, the second three.

    On one answer they agree, on two they do not. The lead decides one of the two; the other waits, with words that only the second
    reviewer says are not in the record.
    """
    lead, first, second = people.lead, people.reviewer, people.second_reviewer
    terms = PlanTerms(
        name=NAME,
        candidates=stored_of(story.planned(now)),
        design=Design(Draw.NUMBER, size=SIZE),
        overlap=2,
        is_blind=True,
        guide=_GUIDE,
        control_share=0.1,
        due_on=timezone.localdate(now + _DUE),
    )
    begun = now - timedelta(hours=30)
    plan = create_plan(terms=terms, by=lead, now=begun, seed="harbor lights")
    start_plan(plan_id=plan.pk, by=lead, now=begun + timedelta(minutes=5))
    by_rows = plan.items.order_by("-item__found_count", "ordinal")  # the answers with most rows, so that reviewers can differ
    waits, decided, agreed, half = (each.item_id for each in by_rows[:4])
    for minutes, pk, reviewer, is_wrong in (
        (20, waits, first, False),
        (40, half, first, False),
        (60, agreed, first, False),
        (75, decided, first, False),
        (90, waits, second, True),
        (110, agreed, second, False),
        (125, decided, second, True),
    ):
        moment = begun + timedelta(minutes=minutes)
        item = actions.take(item_id=pk, by=reviewer, now=moment)
        if is_wrong and pk == waits:
            moment = _claim(item, [{"words": story.doubted(item.unmarked.text), "note": _NOWHERE}], reviewer, moment)
        _review_for_plan(item, story.draws_on.get(pk), reviewer, moment, is_wrong=is_wrong)
    _decide(decided, lead, begun + timedelta(hours=20))


def _decide(item_id: UUID, lead: Membership, now: datetime) -> None:
    """Decide every conflict as the first reviewer labelled it."""
    item = load_item(lead, item_id)
    for row in load_item_reviews(item).conflicts:
        labels, verdict = [label.id for label in row.labels], row.labels[0].verdict.value
        ruling = Ruling(item_id, item.row.attribution_id, labels, verdict, "The answer says what the field says.")
        decide_conflict(ruling=ruling, by=lead, now=now)


def _review_for_plan(item: ReviewItem, used: Collection[str] | None, by: Membership, now: datetime, *, is_wrong: bool) -> None:
    """Label every field by what the answer draws on, or else as correct, and every citation as supported; then submit.

    A reviewer who ``is_wrong`` calls the first row wrong that is right.
    """
    for number in list(item.unlabelled):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        verdict, note = Verdict.CORRECT, ""
        if used is not None and ".".join(field_key(item.attribution.fields[number])) not in used:
            verdict, note = Verdict.WRONG, "The answer says nothing of it."
        elif is_wrong:
            verdict, note, is_wrong = Verdict.WRONG, "It speaks of something else here.", False
        choice = RowChoice(item.id, item.row.attribution_id, number)
        actions.save_label(choice=choice, verdict=verdict, note=note, by=by, now=now)
    for citation in list(item.unlabelled_citations):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        choice = RowChoice(item.id, item.row.attribution_id, citation.number)
        actions.save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, by=by, now=now)
    actions.submit(item_id=item.id, by=by, now=now)


# Signatures.


_ZONE = "America/Chicago"
_SIGNED = 3


def sign_some(*, reviewer: Membership, lead: Membership, since: datetime, now: datetime) -> None:
    """Sign the reviewer's first reviews: one signature holds, one is approved as well, and one is void after a later label."""
    own = Submission.objects.filter(organisation=reviewer.organisation_id, reviewer=reviewer.user_id, submitted_at__gte=since)
    item_ids = list(own.order_by("submitted_at", "id").values_list("snapshot_id", flat=True)[:_SIGNED])
    for item_id in item_ids:
        _sign(item_id, reviewer, Meaning.REVIEWED, now)
    for item_id in item_ids[1:]:
        _sign(item_id, lead, Meaning.APPROVED, now)
    _change(item_ids[2:], reviewer, now)


def _sign(item_id: UUID, by: Membership, meaning: Meaning, now: datetime) -> None:
    review = load_reviews(by.organisation_id, item_id)[-1]
    intent = Intent(item_id, review.id, digest_of(state_now(review)), review.label_count, meaning, _ZONE)
    whose = {"organisation_id": by.organisation_id, "user_id": by.user_id}
    proof = create_proof(**whose, session_key="", purpose="sign", second_factor=False, now=now)
    sign(intent=intent, proof=proof, by=by, now=now)


def _change(item_ids: Sequence[UUID], by: Membership, now: datetime) -> None:
    """Change the first verdict to "can't judge"."""
    for item_id in item_ids:
        item = load_item(by, item_id)
        number = next(number for number, row in enumerate(item.attribution.fields) if row.is_used)
        choice = RowChoice(item_id, item.row.attribution_id, number, "On a second reading this could be chance.")
        actions.save_label(choice=choice, verdict=Verdict.CANNOT_JUDGE, by=by, now=now)


# The organisation.


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
_SECOND_LEAD = "Anneliese Obuya-Hartmann"
_TURNS = Path(__file__).parent / "turns"
_SECONDS_A_LABEL = 4
_LOADED_BEFORE = timedelta(days=7)
"""Everything is created this long before the time of loading, so that the reviews of the last two days come after it."""

_BATCH = 500


@dataclass(frozen=True, slots=True)
class SignIn:
    """A way to sign in to the demonstration."""

    role: str
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class People:
    """The organisation of the demonstration and its members."""

    organisation: Organisation
    reviewer: Membership
    second_reviewer: Membership
    lead: Membership
    second_lead: Membership
    coordinator: Membership
    auditor: Membership
    administrator: Membership


class Story:
    """The events before the hand-written turns and after them: none. A longer story overrides this."""

    length = _LOADED_BEFORE
    """The time between the beginning of the organisation and the time of loading."""

    def __init__(self) -> None:
        self.draws_on: dict[UUID, Collection[str]] = {}
        """The fields that answers draw on, by section and path, where they are known."""

    def planned(self, now: datetime) -> Filter:
        """Return the answers that the plan is drawn from: all."""
        del now
        return Filter()

    def doubted(self, text: str) -> str:
        """Return words of an answer of the plan that a reviewer does not find in the record: its last sentence."""
        return text.rstrip().rpartition(". ")[2]

    def tell_before(self, people: People, now: datetime) -> None:
        """Add what came before the hand-written turns."""

    def tell_after(self, people: People, now: datetime) -> None:
        """Add what came after the reviews of the hand-written turns."""


@transaction.atomic
def load(*, folder: Path, now: datetime, story: Story | None = None) -> tuple[list[SignIn], str]:
    """Load the demonstration unless it exists, and return the sign-ins and the password they share.

    The password is random. It is kept in a file that only its owner can read, as is a service key for trying the API.
    """
    sign_ins = _sign_ins()
    password_file = folder / "password"
    if Organisation.objects.filter(slug=SLUG).exists():
        return list(sign_ins.values()), password_file.read_text(encoding="utf-8").strip()
    password = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}-{secrets.token_hex(2)}"
    write_private(password_file, password + "\n")
    story = story or Story()
    organisation = create_organisation(slug=SLUG, name=_NAME, at=now - story.length)
    with tenant.within(organisation.pk):
        people = _add_people(organisation, sign_ins, make_password(password), now - story.length)
        _set_up(people, folder, now - story.length)
        story.tell_before(people, now)
        _load_turns(people, now)
        load_plan(people, story, now)
        story.tell_after(people, now)
    return list(sign_ins.values()), password


def _sign_ins() -> dict[str, SignIn]:
    """Return the sign-ins by the name of the member among `People`."""
    found = {role.value: SignIn(role.label, name, _email(role)) for role, name in _PEOPLE.items()}
    for name, role, email in ((_SECOND_REVIEWER, Role.REVIEWER, "second-reviewer"), (_SECOND_LEAD, Role.LEAD, "second-lead")):
        found[email.replace("-", "_")] = SignIn(role.label, name, f"{email}@harborlights.example")
    return found


def _add_people(organisation: Organisation, sign_ins: Mapping[str, SignIn], hashed: str, at: datetime) -> People:
    """Add the members. ``hashed`` is the password of them all: hashing one is slow on purpose, so it is done once."""
    users = {name: User.objects.create(email=each.email, name=each.name, password=hashed) for name, each in sign_ins.items()}
    members = {name: add_member(organisation=organisation, user=user, role=_role(name), at=at) for name, user in users.items()}
    return People(organisation, **members)


def _role(name: str) -> Role:
    return Role(name.removeprefix("second_"))


def _set_up(people: People, folder: Path, at: datetime) -> None:
    """Make a service key, and turn citations and the search for them on."""
    _, key = create_service_key(
        organisation=people.organisation,
        owner=people.administrator.user,
        name="Demonstration",
        scopes=[Scope.INGEST, Scope.READ],
        at=at,
        by=user_actor(people.administrator.user_id),
    )
    write_private(folder / "key", key)
    by = user_actor(people.lead.user_id)
    switch_citations(organisation=people.organisation, on=True, at=at, by=by)
    switch_citation_search(organisation=people.organisation, to=SearchWay.WORDS, at=at, by=by)


def load_generated(count: int, *, now: datetime) -> None:
    """Load generated turns as well, number 1 to ``count``. Those that exist stay as they are."""
    organisation = Organisation.objects.get(slug=SLUG)
    administrator = Membership.objects.get(organisation=organisation, user__email=_email(Role.ADMINISTRATOR))
    for first in range(1, count + 1, _BATCH):
        turns = generate(min(_BATCH, count + 1 - first), first=first)
        records = [read_record(canonical_bytes(turn)) for turn in turns]
        with tenant.within(organisation.pk):
            ingest(records=records, organisation=organisation, by=user_actor(administrator.user_id), at=now)


def read_turns() -> list[tuple[Mapping[str, Any], Record]]:
    """Return the hand-written turns, each with the contents of its file, in the order of the files."""
    files = [json.loads(path.read_bytes()) for path in sorted(_TURNS.glob("*.json"))]
    return [(data, read_record(canonical_bytes(data["turn"]))) for data in files]


def _email(role: Role) -> str:
    return f"{slugify(role.label)}@harborlights.example"


def _load_turns(people: People, now: datetime) -> None:
    turns = read_turns()
    begun, by = now - _LOADED_BEFORE, user_actor(people.administrator.user_id)
    plain = [record for data, record in turns if not data.get("repairs")]
    outcomes = ingest(records=plain, organisation=people.organisation, by=by, at=begun)
    repaired = [record for data, record in turns if data.get("repairs")]
    outcomes += _ingest_repaired(repaired, people.organisation, by, people.lead, begun)
    by_id = {outcome.external_id: outcome for outcome in outcomes}
    labelled = [(data, by_id[record.external_id]) for data, record in turns if data.get("labels")]
    for number, (data, outcome) in enumerate(labelled):
        member = people.lead if number % 5 == 4 else people.reviewer
        if outcome.snapshot_id is not None:
            _review(load_item(member, outcome.snapshot_id), data, member, now - timedelta(hours=len(labelled) - number))
    sign_some(reviewer=people.reviewer, lead=people.lead, since=begun, now=now)


def _ingest_repaired(
    records: Sequence[Record], organisation: Organisation, by: Actor, lead: Membership, at: datetime
) -> list[IngestOutcome]:
    """Ingest turns that show attached evidence while the organisation has repairs on and the citation search off."""
    turned: dict[str, Any] = {"organisation": organisation, "at": at, "by": user_actor(lead.user_id)}
    switch_citation_search(to=SearchWay.OFF, **turned)
    switch_repair(on=True, **turned)
    outcomes = ingest(records=records, organisation=organisation, by=by, at=at)
    switch_repair(on=False, **turned)
    switch_citation_search(to=SearchWay.WORDS, **turned)
    return outcomes


def _review(item: ReviewItem, data: Mapping[str, Any], by: Membership, now: datetime) -> None:
    """Label an item as its file says. The key ``*`` says that all other found fields are correct, and submits the review."""
    now = _label_citations(item, data.get("citation_labels", ()), by, now)
    now = _claim(item, data.get("claims", ()), by, now)
    labels: Mapping[str, Mapping[str, str]] = data["labels"]
    for number, row in enumerate(item.attribution.fields):
        if label := labels.get(".".join(field_key(row))):
            now += timedelta(seconds=_SECONDS_A_LABEL)
            choice = RowChoice(item.id, item.row.attribution_id, number)
            actions.save_label(choice=choice, verdict=Verdict(label["verdict"]), note=label.get("note", ""), by=by, now=now)
    if "*" in labels:
        now += timedelta(seconds=_SECONDS_A_LABEL)
        actions.label_remaining(item_id=item.id, by=by, now=now)
        actions.submit(item_id=item.id, by=by, now=now)


def _claim(item: ReviewItem, claims: Sequence[Mapping[str, str]], by: Membership, now: datetime) -> datetime:
    """Say of words that they are not in the record, and return the time of the last label."""
    for claim in claims:
        now += timedelta(seconds=_SECONDS_A_LABEL)
        save_claim(choice=RowChoice(item.id, item.row.attribution_id), words=claim["words"], note=claim["note"], by=by, now=now)
    return now


def _label_citations(item: ReviewItem, labels: Sequence[Mapping[str, str]], by: Membership, now: datetime) -> datetime:
    """Label the citations in their order, and return the time of the last label."""
    for number, label in enumerate(labels):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        choice = RowChoice(item.id, item.row.attribution_id, number)
        actions.save_citation_label(choice=choice, verdict=CitationVerdict(label["verdict"]), note=label.get("note", ""), by=by, now=now)
    return now
