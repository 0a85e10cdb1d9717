"""Who sees whose labels: every address, every viewer, every phase, searched for what was planted in Alice's labels and by the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from uuid import UUID

import pytest
from django.test import Client

from reviewers.accounts.models import Role, Scope
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.ledger.models import AuditEvent
from reviewers.review.labels import actions
from reviewers.review.models import Flag, Label, Phase, QueueItem, Verdict
from reviewers.review.review_status import ReviewStatus, SubmittedReview
from reviewers.review.visibility import Viewer, hides_engine_from, sees_engine, sees_labels
from tests.calibration.labelled import combination_of
from tests.events import events
from tests.factories import BOTH, NOW, as_seen_by, label, make_item, make_key, make_member, sign_in
from tests.markup import read_markup
from tests.reports.exporting.made import make_export
from tests.review.desk import FRAGMENT, act, open_page, rows_of
from tests.review.plans.planning import label_all, review, run_blind
from tests.sampling import sampled
from tests.web.endpoints import ENDPOINTS, addresses
from tests.web.forms import valid_form

CANARY = "quizzical-canary"
"""Stands in each of Alice's notes, and nowhere else."""

WRONG_FIT = BOTH | {"response": str(BOTH["response"]).replace("85%", "35%"), "provider": "Ada Quill"}
"""The usual answer with findings of the engine: a figure that contradicts the record, and an ambiguous word."""

PHASES = ("begun", "submitted", "conflicted", "complete")
HIDDEN = ("begun", "submitted")
SWAYED = ("bob", "carol", "lead")
UNFOLDED, ALL_STATES = "?unfound=1&sources=all&citations=all", "?state=to_do&state=submitted&state=held&state=skipped"
QUERIES = dict.fromkeys(("item", "unfound", "sources"), (UNFOLDED,)) | dict.fromkeys(
    ("queue", "new_plan", "new_export", "conflicts"), (ALL_STATES,)
)
"""Further requests to those pages, which show more of a review item, or other items, if asked."""

READABLE = ("jsonl", "csv", "html", "annotations", "labels")
"""Formats of exports that can be searched as they are."""


class World:
    """An item of a blind plan, so far labelled by Alice, or by Alice and Bob."""

    def __init__(self, organisation, phase: str) -> None:
        self.organisation, self.phase = organisation, phase
        self.alice, self.bob, self.carol = (make_member(organisation, name=name) for name in ("Alice A", "Bob B", "Carol C"))
        self.lead = make_member(organisation, Role.LEAD, "Leda L")
        self.auditor = make_member(organisation, Role.AUDITOR, "Audra A")
        self.item = make_item(organisation, **WRONG_FIT)
        self.plan = run_blind(self.lead)
        (review if phase != "begun" else label_all)(self.item, self.alice, Verdict.MISSTATED, CANARY)
        if phase == "submitted":
            label_all(self.item, self.bob)
        if phase in ("conflicted", "complete"):
            review(self.item, self.bob, Verdict.CORRECT if phase == "conflicted" else Verdict.MISSTATED)

    def paths(self, permissions: frozenset[Permission], exports: Sequence[UUID]) -> Iterator[tuple[str, str]]:
        """Every address that can be read by somebody, with every event in place of an event, and of an export each of some."""
        for address in addresses():
            access, methods = ENDPOINTS.get(address.name, ("", frozenset()))
            if access not in permissions or "GET" not in methods:
                continue
            ids = {"item_id": self.item.pk, "snapshot_id": self.item.pk, "plan_id": self.plan.pk, "case_id": self.item.pk, "ordinal": 0}
            ids |= {"member_id": self.lead.pk, "organisation_id": self.organisation.pk, "combination_id": combination_of(self.item).pk}
            if "event_id" in address.takes:
                for event_id in AuditEvent.objects.filter(object_id=self.item.pk).values_list("pk", flat=True):
                    yield address.name, address.path(**ids, event_id=event_id)
            elif "export_id" in address.takes:
                yield from ((address.name, address.path(export_id=export_id)) for export_id in exports)
            else:
                yield address.name, address.path(**ids)

    def read_all(self, member) -> dict[str, str]:
        """Everything that a member can read, as a page and as a fragment, by its path."""
        client = sign_in(member)
        client.raise_request_exception = False
        read = {}
        exports = [make_export(by, form).pk for form in READABLE for by in (member, self.auditor)]
        for name, path in self.paths(ROLE_PERMISSIONS[member.role], exports):
            for query in ("", *QUERIES.get(name, ())):
                read[f"{name} {path}{query}"] = text_of(client.get(path + query))
            read[f"{name} {path} as a fragment"] = text_of(client.get(path, headers=FRAGMENT))
        return read


def text_of(response) -> str:
    return (b"".join(response.streaming_content) if response.streaming else response.content).decode(errors="replace")


def engine_words(item: QueueItem, member) -> list[str]:
    """Return the engine's words on the rows it found, as the page has them: sentences, and those of its findings."""
    found = as_seen_by(member, item)
    traces = [row.evidence.trace for row in found.attribution.used if row.evidence]
    checks = [each.check.support.trace for each in found.grounds.references if each.check and each.check.support]
    return traces + checks + [row.contradiction.trace for row in found.attribution.fields if row.contradiction]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one viewer is told in one phase, by its path, beside what the engine says of the item."""

    told: Mapping[str, str]
    words: Sequence[str]


_READINGS: dict[tuple[str, str], Reading] = {}
"""By viewer and phase: reading everything takes seconds, and what was read is looked at twice."""


@pytest.fixture
def reading(organisation, viewer, phase) -> Reading:
    if (viewer, phase) not in _READINGS:
        world = World(organisation, phase)
        words = engine_words(world.item, world.auditor)
        _READINGS[viewer, phase] = Reading(world.read_all(getattr(world, viewer)), words)
    return _READINGS[viewer, phase]


BLIND = [(viewer, phase) for phase in HIDDEN for viewer in SWAYED]
TOLD = [(viewer, phase) for phase in PHASES for viewer in (*SWAYED, "auditor") if (viewer, phase) not in BLIND]
IN_THE_DARK = sampled(BLIND, itemgetter(1))
"""Each phase in which something is hidden from viewers, of whom ``test_distinguisher`` reads as each. ``make test-all`` reads as all in
all of them."""
IN_THE_LIGHT = sampled(TOLD, lambda case: case[1] in HIDDEN)


@pytest.mark.parametrize(("viewer", "phase"), [*IN_THE_DARK, *IN_THE_LIGHT])
def test_labels_of_others_are_read_nowhere_before_all_reviews_are_in(reading, phase, viewer):
    may = phase not in HIDDEN or (viewer == "auditor" and phase == "submitted")

    leaking = [path for path, text in reading.told.items() if CANARY in text or '"verdict":"misstated"' in text.replace(" ", "")]

    assert bool(leaking) <= may, leaking
    if phase in ("conflicted", "complete"):
        assert any(path.startswith("item ") for path in leaking), "once all reviews are in they stand side by side"


@pytest.mark.parametrize(("viewer", "phase"), IN_THE_DARK)
def test_nobody_who_may_label_reads_what_the_engine_says_before_submitting(reading, phase, viewer):
    assert len(reading.words) >= 4

    assert [path for path, text in reading.told.items() if any(word in text for word in reading.words)] == []
    for path, text in reading.told.items():
        if path.startswith(("item ", "unfound ", "sources ", "passage ")):
            assert "data-track" not in text, path
            assert 'class="conf"' not in text, path
            assert "trust 0" not in text, path
            assert "data-passage" not in text, path
            assert 'data-span="matched' not in text.replace("cited ", ""), path


@pytest.mark.parametrize(("viewer", "phase"), [("alice", "submitted"), ("auditor", "begun"), ("lead", "complete"), ("bob", "conflicted")])
def test_whoever_has_submitted_or_may_not_label_reads_it(organisation, viewer, phase):
    world = World(organisation, phase)

    page = sign_in(getattr(world, viewer)).get(f"/items/{world.item.pk}/").content.decode()

    assert "data-track" in page
    assert 'class="conf"' in page


@pytest.mark.parametrize("phase", HIDDEN)
def test_fragments_of_ones_own_labels_tell_nothing_else(organisation, phase):
    world = World(organisation, phase)
    client, words = sign_in(world.bob), engine_words(world.item, world.auditor)
    for name, address in ((each.name, each) for each in addresses()):
        if ENDPOINTS.get(name, ("",))[0] is not Permission.LABEL_ITEMS or name in ("submit", "take_next"):
            continue
        form = dict(valid_form(name, QueueItem.objects.get(pk=world.item.pk)))
        text = client.post(address.path(item_id=world.item.pk), form, headers=FRAGMENT).content.decode()
        assert CANARY not in text, name
        assert not any(word in text for word in words), name
        assert "data-track" not in text, name


@pytest.mark.parametrize("phase", PHASES)
def test_programs_are_given_no_attribution_before_all_reviews_are_in(organisation, phase):
    world = World(organisation, phase)
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.READ)}"})

    answer = client.get(f"/api/v1/snapshots/{world.item.pk}").json()

    if phase in HIDDEN:
        assert set(answer["attribution"]) == {"profile", "engine", "withheld"}
        assert (answer["record"], answer["digest"]) == (None, None)
        assert answer["documents"] is None
        assert not any(word in json.dumps(answer) for word in engine_words(world.item, world.auditor))
    else:
        assert answer["attribution"]["fields"]
    assert CANARY not in json.dumps(answer)


def test_the_list_tells_of_a_blind_item_neither_source_nor_findings_nor_how_much_others_labelled(organisation):
    world = World(organisation, "submitted")

    (carol,), (auditor,) = (sign_in(member).get("/queue/").context["page"].rows for member in (world.carol, world.auditor))

    assert (carol.source.text, carol.validity, list(carol.guardrails), carol.labelled, carol.is_blind) == ("Blind", None, [], (0, 0), True)
    assert auditor.guardrails
    assert (auditor.source.text, auditor.is_blind) == ("Mixed", False)


@pytest.mark.parametrize("query", ["source=mixed", "guardrail=contradicted", "flagged=on", "validity=green&validity=yellow&validity=red"])
def test_no_filter_tells_what_the_engine_or_others_say_of_it(organisation, query):
    world = World(organisation, "submitted")
    Flag.objects.create(
        organisation=organisation, snapshot_id=world.item.pk, reviewer=world.alice.user, finding="x", note=CANARY, created_at=NOW
    )
    bob, auditor = sign_in(world.bob), sign_in(world.auditor)

    assert not bob.get(f"/queue/?{query}").context["page"].rows
    assert len(auditor.get(f"/queue/?{query}").context["page"].rows) == 1
    assert bob.post("/queue/next/", {"query": query})["Location"] == f"/queue/?{query.replace('=', '=')}&nothing=1"


def test_why_somebody_else_put_it_aside_is_not_told(organisation):
    world = World(organisation, "begun")
    actions.skip(item_id=world.item.pk, reason=CANARY, by=world.alice, now=NOW)

    assert [path for path, text in world.read_all(world.bob).items() if CANARY in text] == []


def test_an_event_of_a_label_tells_its_verdict_once_nobody_can_be_swayed(organisation):
    world = World(organisation, "complete")
    hidden = events("label.saved")
    actions.save_label(
        choice=actions.RowChoice(world.item.pk, world.item.attribution_id, 0, "again"), verdict=Verdict.WRONG, by=world.alice, now=NOW
    )

    assert not any({"verdict", "truth", "misstated"} & set(event["details"]) for event in hidden)
    assert events("label.saved")[-1]["details"]["verdict"] == "wrong"
    assert all("sha256" not in event["details"] for event in events("review.submitted"))


def test_in_a_blind_review_rows_stand_in_the_order_of_the_record_and_are_judged_one_by_one(organisation):
    world = World(organisation, "begun")
    page = open_page(world.bob, world.item)

    assert list(rows_of(page)) == [row.field.leaf for row in as_seen_by(world.bob, world.item).attribution.used]
    assert not page.find("details", id="all-correct")
    response = act(sign_in(world.bob), world.item, "label-remaining", as_fragment=True)
    assert response.status_code == 409
    assert "judged on its own" in read_markup(response).one("p", id="notice").text


def test_a_label_in_a_blind_review_keeps_what_the_engine_said(organisation):
    """For learning from it; the reviewer did not see it."""
    world = World(organisation, "begun")
    label(sign_in(world.bob), world.item)

    shown = Label.objects.filter(reviewer=world.bob.user).latest("id").shown

    assert shown["blind"] is True
    assert shown["score"] > 0


ALICE, BOB = SubmittedReview(UUID(int=9), UUID(int=1), "Alice", NOW), UUID(int=2)


@pytest.mark.parametrize("is_blind", [True, False])
@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("may_label", [True, False])
def test_the_rules_themselves(is_blind, phase, may_label):
    standing, viewer = ReviewStatus(2, is_blind, phase, (), [ALICE]), Viewer(BOB, may_label)
    is_hidden = is_blind and phase is Phase.INDEPENDENT and may_label

    assert sees_labels(viewer, standing, ALICE.reviewer_id) is not is_hidden
    assert sees_engine(viewer, standing) is not is_hidden
    assert sees_labels(viewer, ReviewStatus(2, is_blind, phase), ALICE.reviewer_id) is False, "a draft is nobody else's"
    assert sees_labels(Viewer(ALICE.reviewer_id, may_label), ReviewStatus(2, is_blind, phase), ALICE.reviewer_id)


@pytest.mark.parametrize(
    ("phase", "viewer"), sampled(product(PHASES, ["alice", "bob", "carol", "lead", "auditor"]), itemgetter(0), itemgetter(1), more=2)
)
def test_lists_and_pages_agree_on_who_sees_what(organisation, phase, viewer):
    world = World(organisation, phase)
    found = as_seen_by(getattr(world, viewer), world.item)

    assert QueueItem.objects.filter(hides_engine_from(found.viewer)).exists() is found.is_blind
