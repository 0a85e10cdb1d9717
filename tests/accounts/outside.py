"""Auditors from outside, as tests need them."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import mark_external
from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.accounts.policies import ExternalTerms
from tests.factories import make_member


def make_external(organisation: Organisation, name: str = "Otto Outer") -> Membership:
    """One who is let in for a month."""
    return mark(make_member(organisation, Role.AUDITOR, name))


def mark(member: Membership) -> Membership:
    """Somebody is from outside from now on."""
    now = timezone.now()
    mark_external(member=member, outside=ExternalTerms("the state’s yearly audit", now + timedelta(days=30)), at=now, by=SYSTEM)
    return Membership.objects.select_related("organisation", "user").get(pk=member.pk)
