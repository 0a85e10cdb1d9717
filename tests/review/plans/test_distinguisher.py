"""Nobody can tell two worlds apart that differ only in what they may not know yet: the same bytes at every address, list and filter.

One pair of worlds differs in everything that is hidden from a viewer at once; under ``soak`` each difference is looked at by itself. That
the worlds do differ is seen by an auditor, and, once all reviews are in, by everybody.
"""

from __future__ import annotations

import difflib
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from reviewers.accounts.models import Role, Scope
from reviewers.snapshots.profile_rows import forget_profiles
from tests.accounts.outside import make_external
from tests.factories import make_key, make_member
from tests.review.plans.planning import review
from tests.review.plans.worlds import ALL, DRAFT, EACH, WORK, Difference, People, make_world, reads_of, reads_of_programs, told_in

LABELLING = {"reviewer": ALL, "lead": ALL, "fellow": WORK, "program": ALL}
"""Those who could be swayed, and all that is hidden from them while reviews come in; ``fellow`` has submitted, and sees the engine."""
UNSWAYED = ("auditor", "outside", "coordinator", "administrator")
"""Those who review nothing: only labels that are not submitted are hidden from them."""


class Desk:
    """People, and what each of them is told in a world."""

    def __init__(self, organisation, monkeypatch) -> None:
        self.organisation, self.monkeypatch = organisation, monkeypatch
        keys = {scope.value: make_key(organisation, scope) for scope in (Scope.READ, Scope.INGEST)}
        colleague, fellow = (make_member(organisation, name=name) for name in ("Alice Aldous", "Bob Birch"))
        lead = make_member(organisation, Role.LEAD, "Leda Lund")
        self.people = People(organisation, colleague, fellow, lead, keys)
        self.members = {"reviewer": make_member(organisation, name="Carol Crane"), "fellow": fellow, "lead": lead, "colleague": colleague}
        roles = (("auditor", Role.AUDITOR), ("coordinator", Role.COORDINATOR), ("administrator", Role.ADMINISTRATOR))
        self.members |= {name: make_member(organisation, role, f"{name.title()} A") for name, role in roles}
        self.members["outside"] = make_external(organisation)

    def told(self, viewer: str, difference: Difference, *, is_other: bool, is_complete: bool = False) -> dict[str, bytes]:
        """Everything that somebody is told in one world, which is gone afterwards."""
        with transaction.atomic():
            world = make_world(self.people, difference, is_other=is_other, monkeypatch=self.monkeypatch)
            if is_complete:
                review(world.item, self.members["reviewer"])
            told = told_in(reads_of_programs(world) if viewer == "program" else reads_of(world, self.members[viewer]))
            transaction.set_rollback(True)
        forget_profiles()
        return told

    def differing(self, viewer: str, difference: Difference, **more: bool) -> dict[str, str]:
        """Where somebody is told different things, and what."""
        one, other = (self.told(viewer, difference, is_other=is_other, **more) for is_other in (False, True))
        return {
            path: _lines(one.get(path, b""), other.get(path, b""))
            for path in sorted(one.keys() | other.keys())
            if one.get(path) != other.get(path)
        }


def _lines(one: bytes, other: bytes) -> str:
    parts = (each.decode(errors="replace").replace("><", ">\n<").splitlines() for each in (one, other))
    changed = [line for line in difflib.unified_diff(*parts, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(line[:300] for line in changed[:8])


@pytest.fixture
def desk(organisation, monkeypatch) -> Desk:
    """The clock stands still: a moment tells nothing here."""
    now = timezone.now()
    desk = Desk(organisation, monkeypatch)
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(seconds=1))
    return desk


@pytest.mark.parametrize("viewer", LABELLING)
def test_who_could_be_swayed_cannot_tell_worlds_apart_before_all_reviews_are_in(desk, viewer):
    assert desk.differing(viewer, LABELLING[viewer]) == {}


@pytest.mark.parametrize("viewer", ["auditor", "outside"])
def test_labels_that_are_not_submitted_are_told_nobody(desk, viewer):
    assert desk.differing(viewer, DRAFT) == {}


@pytest.mark.parametrize("name", EACH)
def test_the_worlds_do_differ_for_whoever_may_know(desk, name):
    assert desk.differing("auditor", EACH[name])


@pytest.mark.soak
@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("viewer", LABELLING)
def test_no_difference_is_told_by_itself_nor_is_it_once_it_is_told_to_all(desk, viewer, name):
    if getattr(LABELLING[viewer], name):
        assert desk.differing(viewer, EACH[name]) == {}
    assert desk.differing(viewer, EACH[name], is_complete=True)


@pytest.mark.soak
@pytest.mark.parametrize("viewer", [*LABELLING, *UNSWAYED])
def test_a_draft_is_told_nobody(desk, viewer):
    assert desk.differing(viewer, DRAFT) == {}
