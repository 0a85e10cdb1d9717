"""Nobody can tell two worlds apart that differ only in what they may not know yet: the same bytes at every address, list and filter.

One pair of worlds differs in everything that is hidden from a viewer at once; in ``make test-all`` each difference is looked at by itself.
That the worlds do differ is seen, of each difference, by an auditor, and, once all reviews are in or conflict, by everybody.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviewers.accounts.models import Membership, Role, Scope, TokenScope
from reviewers.accounts.permissions import Permission
from reviewers.ledger.hooks import hidden_events
from reviewers.ledger.models import AuditEvent
from reviewers.review import visibility
from reviewers.snapshots.hooks import reasons_among
from reviewers.snapshots.ingest.actions import forget_profiles
from reviewers.web.tenancy import tenant
from tests.accounts.outside import make_external
from tests.calibration.judged import make_run
from tests.factories import make_key, make_member, make_organisation
from tests.review.plans.worlds import (
    ALL,
    DRAFT,
    EACH,
    WORK,
    Difference,
    People,
    Stage,
    make_repeating_world,
    make_traced_world,
    make_world,
    reads_of,
    reads_of_programs,
    told_in,
)
from tests.sampling import chance, sampled
from tests.web.endpoints import ENDPOINTS

LABELLING = {"reviewer": ALL, "lead": ALL, "fellow": WORK, "program": ALL}
"""Viewers who could be swayed, and what is hidden from them while reviews come in; ``fellow`` is a lead who has submitted, sees the
engine, and has the pages of a reviewer who has."""
REOPENED = dict.fromkeys(LABELLING, ALL)
"""Once more hidden in an item that is reviewed again, from those too who submitted before."""
UNSWAYED = ("auditor", "outside", "coordinator", "administrator")
"""Viewers who review nothing: only labels that are not submitted are hidden from them."""

PAGE = frozenset({"item"})
"""The address that shows each difference to whoever may know."""

_RULES: tuple[tuple[Callable[..., Any], Callable[..., Any], str], ...] = (
    (visibility.sees_labels, lambda *_: True, "reviewer"),
    (visibility.sees_work, lambda *_: True, "reviewer"),
    (visibility.sees_engine, lambda *_: True, "reviewer"),
    (visibility.hides_engine_from, lambda *_: Q(pk__in=()), "reviewer"),
    (visibility.hides_work_from, lambda *_: Q(pk__in=()), "reviewer"),
    (visibility.is_of_engine, lambda *_: False, "reviewer"),
    (visibility.may_be_learned_from, lambda *_: Q(), "lead"),
    (hidden_events, lambda *_: frozenset(), "lead"),
    (reasons_among, lambda *_: {}, "program"),
)
RULES: Mapping[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {rule[0].__name__: rule for rule in _RULES}
"""Each rule, one that hides nothing, and who then tells worlds apart. Not ``hides_anything_of``, for this plan takes all answers and its
page says the same in both: ``test_seen_through`` has one that draws by strata."""


class Desk:
    """People, and what each of them is told in a world."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.organisation, self.monkeypatch = make_organisation(), monkeypatch
        keys = {scope.value: make_key(self.organisation, scope) for scope in (Scope.READ, Scope.INGEST)}
        colleague, last = (self._make(Role.REVIEWER, name) for name in ("Alice Aldous", "Lara Last"))
        fellow, lead = (self._make(Role.LEAD, name) for name in ("Bob Birch", "Leda Lund"))
        self.people = People(self.organisation, colleague, fellow, lead, last, keys, make_run(lead))
        self.members = {"reviewer": self._make(Role.REVIEWER, "Carol Crane"), "fellow": fellow, "lead": lead, "colleague": colleague}
        roles = (("auditor", Role.AUDITOR), ("coordinator", Role.COORDINATOR), ("administrator", Role.ADMINISTRATOR))
        self.members |= {name: self._make(role, f"{name.title()} A") for name, role in roles}
        self.members["outside"] = make_external(self.organisation)
        self._told: dict[tuple[object, ...], dict[str, bytes]] = {}

    def _make(self, role: Role, name: str) -> Membership:
        return make_member(self.organisation, role, name)

    def told(
        self, viewer: str, difference: Difference, *, is_other: bool, stage: Stage = Stage.INDEPENDENT, names: frozenset[str] = frozenset()
    ) -> dict[str, bytes]:
        """What somebody is told in one world, which is gone afterwards, and the number of events, which checkpoints tell all.

        That is everything, unless addresses are named.
        """
        difference = difference if is_other else Difference(is_draft=difference.is_draft)
        key = (viewer, difference, is_other, stage, names)
        if key not in self._told:
            with tenant.within(self.organisation.pk), transaction.atomic():
                world = make_world(self.people, difference, is_other=is_other, monkeypatch=self.monkeypatch, stage=stage)
                size = {"size": b"%d" % AuditEvent.objects.count()}
                reads = reads_of_programs(world) if viewer == "program" else reads_of(world, self.members[viewer], names)
                self._told[key] = size | told_in(reads)
                transaction.set_rollback(True)
            forget_profiles()
        return self._told[key]

    def forgetful(self) -> Desk:
        """Return the same desk, where nothing was told yet."""
        desk = copy.copy(self)
        desk._told = {}
        return desk

    def differing(
        self, viewer: str, difference: Difference, stage: Stage = Stage.INDEPENDENT, names: frozenset[str] = frozenset()
    ) -> dict[str, str]:
        """Where somebody is told different things, and what."""
        return _differing(*(self.told(viewer, difference, is_other=is_other, stage=stage, names=names) for is_other in (False, True)))

    def differing_by_citing(self, viewer: str, names: frozenset[str] = frozenset()) -> dict[str, str]:
        """Where somebody is told different things of an answer that cites by marks, and of one that cites beside its text."""
        return _differing(*(self._told_of_trace(viewer, names, is_beside=is_beside) for is_beside in (False, True)))

    def differing_by_repeating(self, viewer: str, names: frozenset[str] = frozenset()) -> dict[str, str]:
        """Where somebody is told different things of a turn that was given one with a marker, and of one that was given it without."""
        return _differing(*(self._told_of_repeating(viewer, names, is_other=is_other) for is_other in (False, True)))

    def _told_of_repeating(self, viewer: str, names: frozenset[str], *, is_other: bool) -> dict[str, bytes]:
        with tenant.within(self.organisation.pk), transaction.atomic():
            world = make_repeating_world(self.people, is_other=is_other, monkeypatch=self.monkeypatch)
            reads = reads_of_programs(world) if viewer == "program" else reads_of(world, self.members[viewer], names)
            told = told_in(reads)
            transaction.set_rollback(True)
        forget_profiles()
        return told

    def _told_of_trace(self, viewer: str, names: frozenset[str], *, is_beside: bool) -> dict[str, bytes]:
        with tenant.within(self.organisation.pk), transaction.atomic():
            world = make_traced_world(self.people, self.people.lead, is_beside=is_beside)
            told = told_in(reads_of(world, self.members[viewer], names))
            transaction.set_rollback(True)
        forget_profiles()
        return told


def _differing(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> dict[str, str]:
    return {
        path: _lines(one.get(path, b""), other.get(path, b""))
        for path in sorted(one.keys() | other.keys())
        if one.get(path) != other.get(path)
    }


def _lines(one: bytes, other: bytes) -> str:
    parts = (each.decode(errors="replace").replace("><", ">\n<").splitlines() for each in (one, other))
    changed = [line for line in difflib.unified_diff(*parts, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(line[:300] for line in changed[:8])


@pytest.fixture(scope="module")
def desk(one_transaction) -> Iterator[Desk]:
    """The clock stands still: a moment tells nothing here."""
    with pytest.MonkeyPatch.context() as patched:
        now = timezone.now()
        desk = Desk(patched)
        patched.setattr(timezone, "now", lambda: now + timedelta(seconds=1))
        yield desk


DRAWN: Mapping[str, Stage] = dict(zip(chance("stages").sample(["reviewer", "lead"], 2), (Stage.INDEPENDENT, Stage.REOPENED), strict=True))
"""Which of the two reads everything before all reviews are in, and which after an item is reopened; in ``make test-all`` both do both."""


def readers_in(stage: Stage, *others: Any) -> list[Any]:
    return [pytest.param(viewer, marks=[] if in_stage is stage else pytest.mark.exhaustive) for viewer, in_stage in DRAWN.items()] + [
        *others
    ]


@pytest.mark.parametrize("viewer", readers_in(Stage.INDEPENDENT, *sampled(["fellow", "program"], more=1)))
def test_who_could_be_swayed_cannot_tell_worlds_apart_before_all_reviews_are_in(desk, viewer):
    assert desk.differing(viewer, LABELLING[viewer]) == {}


@pytest.mark.parametrize("viewer", readers_in(Stage.REOPENED))
def test_who_could_be_swayed_cannot_tell_worlds_apart_once_an_item_is_reopened(desk, viewer):
    assert desk.differing(viewer, REOPENED[viewer], Stage.REOPENED) == {}


@pytest.mark.exhaustive
def test_a_lead_who_has_put_a_note_on_everything_cannot_tell_how_the_model_cites(desk):
    assert desk.differing_by_citing("lead") == {}
    assert desk.differing_by_citing("auditor", PAGE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("viewer", ["reviewer", "lead", "program"])
def test_nobody_who_could_be_swayed_can_tell_from_the_next_turn_how_the_model_cites(desk, viewer):
    assert desk.differing_by_repeating(viewer) == {}
    assert desk.differing_by_repeating("auditor", PAGE)


@pytest.mark.parametrize("viewer", sampled(["coordinator", "administrator", "auditor", "outside"], more=1))
def test_labels_that_are_not_submitted_are_told_nobody(desk, viewer):
    assert desk.differing(viewer, DRAFT) == {}


@pytest.mark.parametrize("name", EACH)
def test_the_worlds_do_differ_for_whoever_may_know(desk, name):
    assert desk.differing("auditor", EACH[name], names=PAGE)


def test_the_worlds_do_differ_for_a_reviewer_once_all_reviews_are_in(desk):
    assert desk.differing("reviewer", ALL, Stage.COMPLETE, PAGE)


@pytest.mark.exhaustive
def test_every_address_is_read_by_somebody(desk):
    read = {
        path.split(" ")[0]
        for viewer, told in [(viewer, desk.told(viewer, ALL, is_other=False, stage=stage)) for viewer, stage in DRAWN.items()]
        + [(viewer, desk.told(viewer, ALL, is_other=False)) for viewer in ("program", "auditor")]
        + [(viewer, desk.told(viewer, DRAFT, is_other=False)) for viewer in ("coordinator", "administrator")]
        for path, answer in told.items()
        if answer.startswith((b"200", b"302"))
    }
    there = {name for name, (access, methods) in ENDPOINTS.items() if isinstance(access, Permission | Scope) and "GET" in methods}
    there |= {name for name, (access, _) in ENDPOINTS.items() if isinstance(access, TokenScope)}

    assert there - read <= REFUSED


REFUSED = {"post_comment", "post_label_remaining", "post_resolution"}
"""What a plan's blind phase refuses to everybody who labels: their refusals are compared all the same."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("viewer", LABELLING)
def test_no_difference_is_told_by_itself_nor_is_it_once_it_is_told_to_all(desk, viewer, name):
    if getattr(LABELLING[viewer], name):
        assert desk.differing(viewer, EACH[name]) == {}
    if (viewer, name) != ("fellow", "verdict"):  # whose own labels these are as well
        assert desk.differing(viewer, EACH[name], Stage.REOPENED) == {}
    assert desk.differing(viewer, EACH[name], Stage.COMPLETE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("viewer", ["reviewer", "lead", "fellow"])
def test_what_conflicts_is_told_to_those_who_review(desk, viewer):
    told = desk.differing(viewer, ALL, Stage.CONSOLIDATING)

    assert told
    assert viewer != "lead" or [path for path in told if path.startswith("conflict ")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("viewer", [*LABELLING, *UNSWAYED])
def test_a_draft_is_told_nobody(desk, viewer):
    assert desk.differing(viewer, DRAFT) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_hides_nothing_is_found(desk, monkeypatch, name):
    """Its code is replaced, so that it is replaced wherever it was imported."""
    rule, open_to_all, viewer = RULES[name]
    monkeypatch.setattr(rule, "__code__", open_to_all.__code__)

    assert desk.forgetful().differing(viewer, LABELLING[viewer])
