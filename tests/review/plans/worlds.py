"""Pairs of worlds that differ in nothing but what somebody may not know yet, and everything that somebody is told in one."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from uuid import UUID

from django.test import Client
from django.utils import timezone

from attribution import Attribution, Colour, DocumentAttribution, GuardrailCode, Issue, IssueCode, attribute, attribute_documents
from reviewers.accounts.models import Membership, Organisation, Scope, TokenScope
from reviewers.accounts.permissions import Permission, permissions_of
from reviewers.accounts.policies import Refused
from reviewers.calibration.models import JudgeRun
from reviewers.ledger.models import AuditEvent, RedactionBasis
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.models import ControlRow, Flag, Plan, PlanItem, QueueItem, Signature, Verdict
from reviewers.review.redaction.actions import propose as propose_redaction
from reviewers.review.signing.statements import digest_of, load_reviews, state_now
from reviewers.snapshots.ingest import freeze
from tests.accounts.tokens import program_of_member
from tests.calibration.labelled import combination_of
from tests.calibration.standing import propose
from tests.factories import BOTH, CONTEXT, NOW, choose, claim_words, flag_finding, make_item, make_record, sign_in
from tests.reports.exporting.made import make_export
from tests.review.desk import FRAGMENT
from tests.review.holds.held import make_hold
from tests.review.plans.planning import label_all, review, run_blind
from tests.review.signed import sign_as_it_stands
from tests.snapshots.otlp.tracing import TRACE, accepted, age, send, span
from tests.snapshots.otlp.tracing import freeze as freeze_traces
from tests.snapshots.schemas import upload
from tests.snapshots.trust_tables import write_table
from tests.web.endpoints import ENDPOINTS, READ_BY_TOKENS, addresses
from tests.web.forms import valid_body
from tests.webhooks.endpoints import make_endpoint

RECORD = BOTH | {"id": "turn-of-two-worlds", "provider": "Ada Quill"}
READABLE = ("jsonl", "csv", "html", "annotations", "labels")


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two worlds. Each has as many events, by the same people at the same moments."""

    finding: bool = False
    """The engine's results differ: contradictions and scores, checks of citations and their issues, validity and trust."""
    seeded: bool = False
    """The other world has a control row that the engine claims."""
    verdict: bool = False
    """A colleague's verdicts and notes differ."""
    signature: bool = False
    """A colleague's signature holds in one world only."""
    flag: bool = False
    """A colleague flagged a finding in one world only."""
    claim: bool = False
    """A colleague said in one world only that words are not in the record; in a draft, of other words."""
    is_draft: bool = False
    """The colleague has not submitted: this hides their labels from everybody."""


ALL = Difference(finding=True, seeded=True, verdict=True, signature=True, flag=True, claim=True)
WORK = replace(ALL, finding=False, seeded=False)
EACH: Mapping[str, Difference] = {
    name: Difference(**{name: True}) for name in ("finding", "seeded", "verdict", "signature", "flag", "claim")
}
DRAFT = Difference(verdict=True, claim=True, is_draft=True)


class Stage(Enum):
    """How far the reviews of a world are. All but the last two hide something."""

    INDEPENDENT = "independent"
    REOPENED = "reopened"
    """Everybody reviewed it once; it is reviewed again, and one review is in."""
    CONSOLIDATING = "consolidating"
    COMPLETE = "complete"


_OVERLAP = {Stage.REOPENED: 2}


@dataclass(frozen=True, slots=True)
class People:
    """The members of an organisation: the work of ``colleague`` is hidden, ``fellow`` submits like them."""

    organisation: Organisation
    colleague: Membership
    fellow: Membership
    lead: Membership
    last: Membership
    """Whose review is the third."""
    keys: Mapping[str, str]
    run: JudgeRun
    """A judge was asked about answers of another plan."""


@dataclass(frozen=True, slots=True)
class World:
    """An answer of a blind plan for three."""

    people: People
    item: QueueItem
    plan: Plan
    ids: Mapping[str, Any]
    """Objects made beside the answer, by the names that paths take; equal in both worlds."""


def _blander(**given: Any) -> Attribution:
    """Attribute as another engine would: nothing contradicts, and the scores differ."""
    said = attribute(**given)
    rows = [row._replace(contradiction=None) for row in said.fields]
    rows = [row._replace(evidence=row.evidence._replace(score=0.61)) if row.evidence else row for row in rows]
    findings = [each for each in said.guardrails if each.code is not GuardrailCode.CONTRADICTED]
    return replace(said, fields=tuple(rows), guardrails=tuple(findings))


def _unchecked(**given: Any) -> DocumentAttribution:
    """Attribute to documents as another engine would: it checks nothing, trusts nothing, and has an issue with the first citation."""
    said = attribute_documents(**given)
    references = tuple([each._replace(check=None) for each in said.references])
    issues = (*said.issues, Issue(IssueCode.QUOTE_NOT_FOUND, "its quote is not in its source", reference=0))
    trust = {name: replace(each, tier=0, score=0.1) for name, each in said.trust.items()}
    validity = replace(said.validity, colour=Colour.RED, reason="Nothing of it was checked.")
    return replace(said, references=references, issues=issues, trust=trust, validity=validity)


def response_of(*, is_cited: bool) -> str:
    """Return an answer with or without the marker of a row that nothing else shows."""
    text = str(BOTH["response"]).replace("85%", "35%")
    return text if is_cited else text.replace(" [[TF:fit_score]]", "")


def make_world(people: People, difference: Difference, *, is_other: bool, monkeypatch: Any, stage: Stage = Stage.INDEPENDENT) -> World:
    """One of two worlds that differ so. The one that is not ``is_other`` is the same for every difference."""
    is_seeded = is_other and difference.seeded
    with monkeypatch.context() as patched:
        if is_other and difference.finding:
            patched.setattr(freeze, "attribute", _blander)
            patched.setattr(freeze, "attribute_documents", _unchecked)
        item = make_item(people.organisation, **RECORD | {"response": response_of(is_cited=not is_seeded)})
    plan = run_blind(people.lead, overlap=_OVERLAP.get(stage, 3), candidates={"facets": {"model": [item.snapshot.model]}})
    if is_seeded:
        drawn = PlanItem.objects.get(plan=plan, item=item)
        ControlRow.objects.create(
            organisation=people.organisation, drawn=drawn, section="therapeutic_fit", path="fit_score", is_right=False
        )
    item.refresh_from_db()
    world = World(people, item, plan, _beside(people, item))
    _work(world, difference, is_other=is_other, stage=stage)
    return world


FIRST, SECOND = "Whoever takes other medicines should ask first", "Adults start with 2 mg in the evening"
RISK = "Your risk is elevated"
DOCUMENTS = [{"id": str(place), "content": f"{each}."} for place, each in enumerate((FIRST, SECOND))]
TURN = {
    "footnote.context": json.dumps(CONTEXT),
    "footnote.documents": json.dumps(DOCUMENTS),
    "footnote.provider": "Ada Quill",
    "llm.model_name": "model-a",
    "llm.prompt_template.version": "prompt 1",
    "session.id": "conversation-1",
    "user.id": "client-1",
    "input.value": "hi",
}


def make_traced_world(people: People, by: Membership, *, is_beside: bool) -> World:
    """One of two worlds whose answer came as a trace, and cites its documents and a field by marks in the text or beside it.

    A member has put a note on each row and each citation.
    """
    stated = [{"sourceId": str(place), "claim": each} for place, each in enumerate((FIRST, SECOND))]
    named = [{"tool": "SF", "field": "risk_level", "text": RISK}]
    beside = {"footnote.citations": json.dumps(stated), "footnote.field_citations": json.dumps(named)}
    text = f"{FIRST}. {SECOND}. {RISK}." if is_beside else f"{FIRST} [1]. {SECOND} [2]. {RISK} [[SF:risk_level]]."
    program = Client(headers={"Authorization": f"Bearer {people.keys[Scope.INGEST]}"})
    assert accepted(send(program, span(TURN | (beside if is_beside else {}) | {"output.value": text}))) == (0, "")
    age()
    freeze_traces(people.organisation.pk, timezone.now())
    item = QueueItem.objects.select_related("snapshot", "attribution").get(snapshot__external_id=f"trace-{TRACE.hex()}")
    plan = run_blind(people.lead, candidates={"facets": {"model": [item.snapshot.model]}})
    item.refresh_from_db()
    label_all(item, by, note="a thought")
    return World(people, item, plan, _beside(people, item))


def make_repeating_world(people: People, *, is_other: bool, monkeypatch: Any) -> World:
    """One of two worlds that differ in how an answer under blind review is marked. What is read is the next turn, to which it was given."""
    world = make_world(people, Difference(seeded=True), is_other=is_other, monkeypatch=monkeypatch)
    said = f"Earlier I said: {response_of(is_cited=not is_other)}"
    given = {
        "user_text": said,
        "context": {**CONTEXT, "history": {"turns": [said]}},
        "documents": [{"id": "talk-1", "title": said[:200], "content": said}],
        "tool_calls": [{"id": "call-1", "name": "recall", "output": said}],
    }
    response = "As I said earlier, your risk is elevated [[SF:risk_level]], and adults start with 2 mg in the evening [1]."
    later = make_item(people.organisation, **RECORD | given | {"id": "the-next-turn", "model": "model-b", "response": response})
    return replace(world, item=later, ids={**world.ids, "profile_id": propose(later, people.lead).pk})


def _beside(people: People, item: QueueItem) -> Mapping[str, Any]:
    """A profile that is proposed for its combination, a redaction that is proposed, a schema, a table of trust and an endpoint.

    The hold is on the answers for another client: under one, the page that redacts an answer offers no parts of it.
    """
    profile = propose(item, people.lead)
    because: Any = {"parts": ["user_text"], "basis": RedactionBasis.ERASURE, "reason": "She asked for it."}
    redaction = propose_redaction(item_id=item.pk, by=people.lead, now=NOW, **because)
    hold = make_hold(people.lead, reference="client-2")
    schema = upload(people.lead)
    table = write_table(people.lead)
    endpoint, _ = make_endpoint(people.organisation, by=people.lead)
    return {
        "schema_id": schema.pk,
        "table_id": table.pk,
        "endpoint_id": endpoint.pk,
        "delivery_id": endpoint.pk,
        "profile_id": profile.pk,
        "number": 0,
        "redaction_id": redaction.pk,
        "hold_id": hold.pk,
        "run_id": people.run.pk,
    }


def _work(world: World, difference: Difference, *, is_other: bool, stage: Stage) -> None:
    """Do the work of the reviewers, in as many steps in one world as in the other."""
    item, people = world.item, world.people
    verdict, note = (Verdict.WRONG, "a remark") if is_other and difference.verdict else (Verdict.CORRECT, "some words")
    if difference.is_draft:
        label_all(item, people.colleague, verdict, note)
        claim_words(item, people.colleague, words="two weeks" if is_other and difference.claim else "Your risk", note="nowhere")
        return
    review(item, people.colleague, verdict, note)
    review(item, people.fellow, verdict if stage is Stage.REOPENED else Verdict.CORRECT)  # they agree: that a plan ended nobody forgets
    if stage is Stage.REOPENED:
        reopen(item_id=item.pk, reason="once more", by=people.lead, now=NOW)
        review(item, people.colleague, verdict, note)
    _say_more(world, difference, is_other=is_other)
    if stage in (Stage.CONSOLIDATING, Stage.COMPLETE):
        review(item, people.last, Verdict.WRONG if stage is Stage.CONSOLIDATING else Verdict.CORRECT)


def _say_more(world: World, difference: Difference, *, is_other: bool) -> None:
    """Act as the colleague after submitting."""
    item, colleague = world.item, world.people.colleague
    steps: list[Callable[[], Any]] = [lambda: _sign(item, colleague), lambda: _change(item, colleague)]
    for step in reversed(steps) if is_other and difference.signature else steps:
        step()
    if is_other and difference.flag:
        actions.save_label(choice=choose(item, 0, "a thought"), note="another thought", by=colleague, now=NOW)
    else:
        flag_finding(choice=choose(item, 0), note="look at this", by=colleague, now=NOW)
    if is_other and difference.claim:
        actions.save_label(choice=choose(item, 0, "a thought"), note="a third note", by=colleague, now=NOW)
    else:
        claim_words(item, colleague, note="nowhere", reason="a thought")


def _sign(item: QueueItem, by: Membership) -> Signature:
    """Sign one's own review, whoever submitted last."""
    own = next(each for each in load_reviews(item.organisation_id, item.pk) if each.reviewer_id == by.user_id and each.is_present)
    return sign_as_it_stands(item, by, review_id=own.id, digest=digest_of(state_now(own)), label_count=own.label_count)


def _change(item: QueueItem, by: Membership) -> None:
    actions.save_label(choice=choose(item, 0, "on second thoughts"), verdict=Verdict.CANNOT_JUDGE, by=by, now=NOW)


FILTERS = (
    *(f"state=to_do&state=submitted&{kind}={value}" for kind, values in {
        "source": ("none", "citation", "heuristic", "mixed"),
        "guardrail": ("contradicted", "over_cited", "unknown"),
        "section": ("safety", "provider_genome", "therapeutic_fit"),
        "validity": ("green", "yellow", "red"),
        "issue": ("unresolved",),
        "answer": ("withheld", "repaired"),
        "model": ("model-a",),
        "signed": ("holds", "void", "none"),
    }.items() for value in values),
    "flagged=on",
    "unsupported=on",
    "model=model-a&section=therapeutic_fit",
    "model=model-a&section=safety&signed=holds&signed=void&signed=none",
)  # fmt: skip
QUERIES: Mapping[str, tuple[str, ...]] = {
    "item": ("?unfound=1&sources=all&citations=all",),
    "queue": tuple(f"?{each}" for each in FILTERS),
    "list_items": tuple(f"?{each}" for each in FILTERS),
    "new_plan": ("?guardrail=contradicted",),
}
PARTS = frozenset({"item", "unfound", "sources", "passage", "citation_search"})
"""Addresses that answer with a part of a page where a page asks for one."""


def reads_of(world: World, member: Membership, names: Container[str] = ()) -> Iterator[tuple[str, str, bytes]]:
    """Everything that a member can read, or as much of it as is named: its name, its path, and the answer."""
    client = sign_in(member)
    client.raise_request_exception = False
    if names:
        yield from ((name, path, _told(client.get(path))) for name, path in _paths(world, member, {}) if name in names)
        return
    exports = {form: make_export(member, form).pk for form in READABLE} if Permission.EXPORT in permissions_of(member) else {}
    for name, path in _paths(world, member, exports):
        for query in ("", *QUERIES.get(name, ())):
            yield name, path + query, _told(client.get(path + query))
        if name in PARTS:
            yield name, f"{path} as a part", _told(client.get(path, headers=FRAGMENT))
    if Permission.LABEL_ITEMS in permissions_of(member):
        for query in TAKEN:
            yield "take_next", query, _told(client.post("/queue/next/", {"query": query}))
    if Permission.READ_ITEMS in permissions_of(member) and not member.is_external:
        yield from _reads_of_token(world, member)


TAKEN = ("section=therapeutic_fit", "signed=holds", "guardrail=contradicted")
"""Filters of the next item, by which something could be learned."""


def _reads_of_token(world: World, member: Membership) -> Iterator[tuple[str, str, bytes]]:
    """Yield the responses to a member's program: lists and items, and all that it can do to the item, its submission last."""
    may_label = Permission.LABEL_ITEMS in permissions_of(member)
    program = program_of_member(member, TokenScope.LABEL if may_label else TokenScope.READ)
    program.raise_request_exception = False
    flag = Flag.objects.filter(snapshot=world.item.pk).values_list("pk", flat=True).first() or uuid.uuid4()
    for address in sorted(addresses(), key=lambda each: each.name == "post_submission"):
        access, methods = ENDPOINTS.get(address.name, ("", frozenset()))
        path = address.path(item_id=world.item.pk, flag_id=flag)
        if address.name == "post_submission" and may_label:
            with suppress(Refused):
                label_all(world.item, member)
        if address.name in READ_BY_TOKENS:
            for query in ("", *QUERIES.get(address.name, ())):
                yield address.name, f"{path}{query} of a member", _told(program.get(path + query))
        elif isinstance(access, TokenScope) and may_label:
            for query in ("", *(f"?{each}" for each in TAKEN)) if address.name == "post_next" else ("",):
                (method,) = methods
                for is_blind in (True, False):
                    body = valid_body(address.name, world.item, is_blind=is_blind)
                    told = _told(program.generic(method, path + query, body, content_type="application/json"))
                    yield address.name, f"{path.replace(str(flag), '')}{query} where that is {is_blind}", told


def _paths(world: World, member: Membership, exports: Mapping[str, UUID]) -> Iterator[tuple[str, str]]:
    item, people = world.item, world.people
    ids: dict[str, Any] = {"item_id": item.pk, "snapshot_id": item.pk, "plan_id": world.plan.pk, "case_id": item.pk, "ordinal": 0}
    ids |= {"member_id": people.lead.pk, "organisation_id": people.organisation.pk, "combination_id": combination_of(item).pk, "place": 0}
    ids |= world.ids
    for address in addresses():
        access, methods = ENDPOINTS.get(address.name, ("", frozenset()))
        if access not in permissions_of(member) or "GET" not in methods:
            continue
        if "event_id" in address.takes:
            found = AuditEvent.objects.filter(object_id__in=[item.pk, world.plan.pk]).order_by("id")
            yield from ((address.name, address.path(event_id=pk)) for pk in found.values_list("pk", flat=True))
        elif "export_id" in address.takes:
            yield from ((address.name, address.path(export_id=pk)) for pk in exports.values())
        elif "signature_id" in address.takes:
            signatures = Signature.objects.filter(review__snapshot=item.pk).values_list("pk", flat=True)
            yield from ((address.name, address.path(signature_id=pk)) for pk in signatures)
        else:
            assert not set(address.takes) - ids.keys(), f"Say in worlds.py what {address.name} takes."
            yield address.name, address.path(**ids)


def reads_of_programs(world: World) -> Iterator[tuple[str, str, bytes]]:
    """Yield the responses to keys that may read or send: the snapshot, and its record sent again."""
    reader, sender = (Client(headers={"Authorization": f"Bearer {world.people.keys[scope]}"}) for scope in (Scope.READ, Scope.INGEST))
    for address in addresses():
        access, methods = ENDPOINTS.get(address.name, ("", frozenset()))
        if isinstance(access, Scope) and "GET" in methods:
            client = reader if access == Scope.READ else sender
            path = address.path(**world.ids | {"snapshot_id": world.item.pk, "item_id": world.item.pk})
            for query in ("", *QUERIES.get(address.name, ())):
                yield address.name, path + query, _told(client.get(path + query))
    again = json.dumps(make_record(**RECORD | {"response": json.loads(bytes(world.item.snapshot.record))["response"]}))
    for kind in ("application/json", "application/x-ndjson"):
        yield "sent", f"again as {kind}", _told(sender.post("/api/v1/snapshots", again, content_type=kind))


def _told(response: Any) -> bytes:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    told = [
        str(response.status_code),
        *(f"{name}: {response[name]}" for name in ("Location", "ETag", "Content-Disposition") if name in response),
    ]
    return "\n".join(told).encode() + b"\n" + body


_NAME = re.compile(rb"(footnote-[a-z]+-|Answer |search=)[0-9a-f]{8}")
"""A file is named after the end of its identifier, as an answer is for auditors from outside. A search has a number by chance."""
_ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}(?![0-9a-f])")
_TOKEN = re.compile(rb'(csrfmiddlewaretoken" value="|X-CSRFToken": "|csrf-token" content=")[A-Za-z0-9]+')
_COMMITTED = re.compile(rb"\b[0-9a-f]{64}\b|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=")
_SHORT = re.compile(rb"sha256:[0-9a-f]{6}\xe2\x80\xa6[0-9a-f]{4}")
_NAMING_AT = frozenset({"exports", "export", "signing", "signing_all", "sent"})
"""Where digests stand of files and of one's own statements, which name identifiers of their world, and of a record one sent oneself."""
_SALTED_AT = frozenset({"ledger", "event", "event_receipt", "receipt", "get_receipt"})
"""Where digests over salted commitments stand: they differ in any two worlds, and tell nothing to whoever has not the salts."""


class Forgetting:
    """Takes out of answers what differs in any two worlds: chance. Identifiers are numbered as they are met."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def __call__(self, name: str, told: bytes) -> bytes:
        told = _NAME.sub(rb"\1", _TOKEN.sub(rb"\1", told))
        told = _ID.sub(lambda each: self._known.setdefault(each[0].replace(b"-", b""), b"id %d" % len(self._known)), told)
        if name in _NAMING_AT | _SALTED_AT:
            told = _SHORT.sub(b"committed", _COMMITTED.sub(b"committed", told))
        return told


def told_in(reads: Iterator[tuple[str, str, bytes]]) -> dict[str, bytes]:
    """All of it by its path, without chance."""
    forget, told = Forgetting(), {}
    for name, path, answer in reads:
        key = f"{name} {forget(name, path.encode()).decode()}"
        assert key not in told, key
        told[key] = forget(name, answer)
    return told
