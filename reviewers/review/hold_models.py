"""Legal holds: what may not be redacted or thrown away until two people lift the hold. All of it are records."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.plan_models import Plan
from reviewers.web.models import InsertOnly


class HoldKind(models.TextChoices):
    """What a hold covers. Stored for good: a word here is never given another meaning."""

    CLIENT = "client", "A client"
    CONVERSATION = "conversation", "A conversation"
    PLAN = "plan", "A plan"
    PERIOD = "period", "A period"


class Hold(InsertOnly):
    """A lead keeps answers from being redacted, for a reason.

    It covers what its terms match whenever they are asked, so also answers that arrive later: all of the client or conversation that
    ``reference`` names, all that ``plan`` draws, all answered from ``since`` to ``until``. ``review_holds_of`` in
    ``migrations/sql/holds.sql`` says which holds cover a snapshot; the page, the policy and the trigger all ask it.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=12, choices=HoldKind)
    reference = models.CharField(max_length=200, blank=True)
    plan = models.ForeignKey(Plan, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    since = models.DateField(null=True)
    until = models.DateField(null=True)
    reason = models.TextField()
    placed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    placed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=[HoldKind.CLIENT, HoldKind.CONVERSATION], plan=None, since=None, until=None) & ~Q(reference="")
                | Q(kind=HoldKind.PLAN, reference="", plan__isnull=False, since=None, until=None)
                | Q(kind=HoldKind.PERIOD, reference="", plan=None) & (Q(since__isnull=False) | Q(until__isnull=False)),
                name="hold_covers_one_thing",
            ),
            models.CheckConstraint(condition=Q(since=None) | Q(until=None) | Q(since__lte=F("until")), name="hold_from_and_to"),
            models.CheckConstraint(condition=~Q(reason=""), name="held_with_a_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="hold_by_organisation")]


class LiftProposal(InsertOnly):
    """Somebody proposes to lift a hold."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, related_name="proposals")
    reason = models.TextField()
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(reason=""), name="lift_proposed_with_a_reason"),
            models.UniqueConstraint(fields=["id", "hold", "proposed_by"], name="lift_has_one_proposer"),
        ]


class LiftOutcome(models.TextChoices):
    """What became of a proposal to lift a hold."""

    LIFTED = "lifted", "Lifted"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class LiftDecision(InsertOnly):
    """What was decided of such a proposal, once: nobody lifts a hold alone.

    ``hold`` and ``proposed_by`` repeat those of the proposal, held to it by a foreign key, so that the four eyes are a plain check.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposal = models.OneToOneField(LiftProposal, on_delete=models.PROTECT, related_name="decision")
    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, related_name="decisions")
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=LiftOutcome)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=LiftOutcome.WITHDRAWN, decided_by=F("proposed_by"))
                | Q(outcome__in=[LiftOutcome.LIFTED, LiftOutcome.DECLINED]) & ~Q(decided_by=F("proposed_by")),
                name="lifting_takes_two",
            ),
            models.UniqueConstraint(fields=["hold"], condition=Q(outcome=LiftOutcome.LIFTED), name="hold_lifted_once"),
        ]
