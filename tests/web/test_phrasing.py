"""A query that is put together once answers for each value as one that is put together anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation, Role, User
from reviewers.web import walls
from reviewers.web.phrasing import any_id, any_of, phrased
from tests.factories import make_member, make_organisation

pytestmark = pytest.mark.django_db


@phrased
def _members_of(organisation_id: UUID, role: str, before: datetime, *, newest_first: bool = False) -> QuerySet[Membership]:
    """A query of several kinds of values, one of them twice, with a model that belongs to it and an annotation."""
    others = Membership.objects.filter(user=OuterRef("user"), organisation=organisation_id)
    own = Membership.objects.select_related("user").filter(organisation=organisation_id, role=role, created_at__lt=before)
    return own.annotate(is_there=Exists(others), said=Value(7)).order_by("-id" if newest_first else "id")


@phrased
def _names(ids: list[UUID], emails: list[str]) -> QuerySet[User, str]:
    return User.objects.filter(Q(any_id("id", ids)) | Q(any_of("email", emails))).order_by("name").values_list("name", flat=True)


def test_each_value_has_its_own_answer(organisation: Organisation) -> None:
    other = make_organisation("South")
    ada, lee = make_member(organisation, name="Ada"), make_member(organisation, name="Lee")
    with walls.within(other.pk):
        make_member(other, name="Sol")
    now = timezone.now()
    for _ in range(2):  # as put together, and as remembered
        found = _members_of(organisation.pk, Role.REVIEWER, now)
        assert [each.user.name for each in found] == ["Ada", "Lee"]
        assert [(each.is_there, each.said) for each in found] == [(True, 7)] * 2  # type: ignore[attr-defined]  # annotations
        assert _members_of(organisation.pk, Role.LEAD, now) == []
        assert _members_of(organisation.pk, Role.REVIEWER, ada.created_at) == []
        assert [each.pk for each in _members_of(organisation.pk, Role.REVIEWER, now, newest_first=True)] == [lee.pk, ada.pk]
    with walls.within(other.pk):
        assert [each.user.name for each in _members_of(other.pk, Role.REVIEWER, timezone.now())] == ["Sol"]


def test_lists_are_one_parameter_however_long(organisation: Organisation) -> None:
    members = [make_member(organisation, name=name) for name in ("Ada", "Lee", "Kim")]
    ids = [each.user.pk for each in members]
    assert _names(ids[:1], [members[2].user.email]) == ["Ada", "Kim"]
    assert _names([*ids[:2], uuid4()], ['{"},\\', "nobody"]) == ["Ada", "Lee"]


def test_asking_is_one_statement_and_puts_nothing_together(organisation: Organisation) -> None:
    put_together = []

    @phrased
    def own(organisation_id: UUID) -> QuerySet[Membership]:
        put_together.append(organisation_id)
        return Membership.objects.filter(organisation=organisation_id)

    with CaptureQueriesContext(
        connection,
    ) as captured:
        for _ in range(3):
            assert own(organisation.pk) == []
    assert len(captured) == 3
    assert len(put_together) == 1
    assert put_together != [organisation.pk]


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda _: User.objects.all(), "forgotten"),
        (lambda name: User.objects.filter(name__icontains=name), "changed on its way"),
        (lambda name: User.objects.filter(name=name), None),
        (lambda name: User.objects.filter(name__in=name), []),
        (lambda number: User.objects.all()[:number], 3),
    ],
)
def test_a_value_that_cannot_be_put_in_later_is_refused(make: Callable[..., QuerySet[User]], value: object) -> None:
    with pytest.raises(TypeError):
        phrased(make)(value)
