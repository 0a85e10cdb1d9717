"""Models of plans: how items come into review, drawn reproducibly, and what was drawn.

A plan is a draft until it starts; then the database refuses to change it (see ``migrations/sql/plans.sql``). Its items, its sampling frame,
its control rows and its guide are insert-only.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.web.models import Identified, InsertOnly

MOST_REVIEWS = 5


class PlanState(models.TextChoices):
    """The state of a plan. ``finished`` means that every item is complete, ``stopped`` that somebody ended it before."""

    DRAFT = "draft", "Draft"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    STOPPED = "stopped", "Stopped"


class Draw(models.TextChoices):
    """The way in which a plan draws from its candidates."""

    ALL = "all", "All of them"
    SHARE = "share", "A share of them, at random"
    NUMBER = "number", "A number of them, at random"
    STRATIFIED = "stratified", "A number of them, evenly over strata"
    TRIGGERED = "triggered", "None now; only what the triggers call for"


class Rule(models.TextChoices):
    """The rule by which labels become a decision."""

    UNANIMOUS = "unanimous", "All agree"
    MAJORITY = "majority", "More than half agree"
    LEAD = "lead", "A lead decides"


class Stream(models.TextChoices):
    """The use of a plan's labels. Audit labels carry guarantees; boost labels fit calibrators."""

    NONE = "none", "nothing extra"
    AUDIT = "audit", "testing"
    BOOST = "boost", "training"


class Phase(models.TextChoices):
    """The phase of an item's reviews. ``plans/phases.py`` has the steps between phases."""

    INDEPENDENT = "independent", "Independent"
    CONSOLIDATING = "consolidating", "Consolidating"
    COMPLETE = "complete", "Complete"


class Guide(InsertOnly):
    """The guide that reviewers labelled by. Its version is the digest of its text."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organisation", "digest"], name="one_guide_a_text")]


class Plan(Identified):
    """The terms on which items come into review: how they are drawn, how many people review each, and what they see.

    ``candidates`` is the queue filter that they are taken from, ``triggers`` are what adds later answers. Together with the design,
    ``seed`` determines which are drawn. ``control_share`` of the rows are control rows, half of them right. ``watched_until`` is the time
    up to which a running plan has read new answers.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=PlanState, default=PlanState.DRAFT)
    candidates = models.JSONField(default=dict)
    draw = models.CharField(max_length=12, choices=Draw, default=Draw.ALL)
    share = models.FloatField(null=True)
    size = models.IntegerField(null=True)
    seed = models.CharField(max_length=64)
    triggers = models.JSONField(default=dict)
    overlap = models.SmallIntegerField(default=1)
    is_blind = models.BooleanField(default=False)
    rule = models.CharField(max_length=10, choices=Rule, default=Rule.UNANIMOUS)
    stream = models.CharField(max_length=6, choices=Stream, default=Stream.NONE)
    guide = models.ForeignKey(Guide, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    control_share = models.FloatField(default=0)
    due_on = models.DateField(null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField()
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    started_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    ended_at = models.DateTimeField(null=True)
    watched_until = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(rule__in=Rule.values), name="plan_rule_known"),
            models.CheckConstraint(
                condition=Q(stream__in=[Stream.NONE, Stream.BOOST])
                | Q(stream=Stream.AUDIT, is_blind=True, draw__in=[Draw.ALL, Draw.SHARE, Draw.NUMBER], triggers={}),
                name="audit_is_blind_and_simple",
            ),
            models.CheckConstraint(
                condition=Q(draw__in=[Draw.ALL, Draw.TRIGGERED], share=None, size=None)
                | Q(draw=Draw.SHARE, share__gt=0, share__lte=1, share__isnull=False, size=None)
                | Q(draw__in=[Draw.NUMBER, Draw.STRATIFIED], size__gte=1, size__isnull=False, share=None),
                name="plan_draws_so_many",
            ),
            models.CheckConstraint(condition=Q(overlap__gte=1, overlap__lte=MOST_REVIEWS), name="plan_overlap_in_bounds"),
            models.CheckConstraint(
                condition=Q(control_share=0) | Q(control_share__gt=0, control_share__lte=0.5, is_blind=True),
                name="control_rows_in_blind_plans",
            ),
            models.CheckConstraint(
                condition=Q(started_by=None, started_at=None) | Q(started_by__isnull=False, started_at__isnull=False),
                name="plan_started_by_and_at",
            ),
            models.CheckConstraint(
                condition=Q(ended_by=None, ended_at=None) | Q(ended_by__isnull=False, ended_at__isnull=False),
                name="plan_ended_by_and_at",
            ),
            models.CheckConstraint(
                condition=Q(state=PlanState.DRAFT, started_at=None, ended_at=None)
                | Q(state=PlanState.RUNNING, started_at__isnull=False, ended_at=None)
                | Q(state=PlanState.FINISHED, started_at__isnull=False, ended_at__isnull=False)
                | Q(state=PlanState.STOPPED, ended_at__isnull=False),
                name="plan_state_and_times",
            ),
            models.UniqueConstraint(fields=["id", "overlap", "is_blind"], name="plan_with_its_terms"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "state", "id"], name="plan_by_state")]

    def __str__(self) -> str:
        return self.name


class SamplingFrame(InsertOnly):
    """The candidates that a plan was drawn from when it started, each with its stratum: compressed canonical JSON and its SHA-256."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    plan = models.OneToOneField(Plan, on_delete=models.PROTECT, related_name="frame")
    document = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    count = models.IntegerField()


class PlanItem(InsertOnly):
    """An item that a plan drew, with its place, stratum and inclusion probability.

    ``trigger`` names what added it after the plan started. Its probability is then 1 among the answers that the triggers matched.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="items", db_index=False)
    item = models.ForeignKey("review.QueueItem", on_delete=models.PROTECT, related_name="drawn")
    ordinal = models.IntegerField()
    stratum = models.TextField()
    probability = models.FloatField()
    trigger = models.TextField(blank=True)
    added_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["plan", "item"], name="drawn_once_a_plan"),
            models.CheckConstraint(condition=Q(probability__gt=0, probability__lte=1), name="probability_in_bounds"),
            models.CheckConstraint(condition=Q(ordinal__gte=0), name="drawn_in_a_place"),
        ]
        indexes: ClassVar = [models.Index(fields=["plan", "ordinal"], name="drawn_in_order")]


class ControlRow(InsertOnly):
    """A control row: a row of a drawn item whose truth is known.

    The answer cites and states the right ones, and does not mention the wrong ones at all. A wrong one is shown as if it had been found; an
    attentive reviewer calls it wrong.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    drawn = models.ForeignKey(PlanItem, on_delete=models.PROTECT, related_name="control_rows", db_index=False)
    section = models.TextField()
    path = models.TextField()
    is_right = models.BooleanField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["drawn", "section", "path"], name="seeded_once_a_row")]
