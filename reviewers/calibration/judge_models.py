"""What an offline judge was asked to label, and what it said. No label of a person stands here, and none of these among people's."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.plan_models import Plan
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import Identified, InsertOnly


class JudgeRun(Identified):
    """A model labels the answers of a plan, the oldest first: ``done`` of ``total``, up to and with ``after``.

    ``unread`` of them got no reply that could be read. Tokens are as the endpoint counts them. It has ended once it is finished, or
    stopped by a person, or by the endpoint for a ``reason``.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="+")
    model = models.CharField(max_length=200)
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    total = models.IntegerField()
    done = models.IntegerField(default=0)
    unread = models.IntegerField(default=0)
    after = models.UUIDField(null=True)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    stopped_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__gte=0, done__lte=F("total"), unread__lte=F("done")), name="judged_of_total"),
            models.UniqueConstraint(fields=["plan", "model"], condition=Q(finished_at=None), name="one_judge_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.done} of {self.total}"


class JudgeLabel(InsertOnly):
    """What a judge said of a field that a row claims: whether the answer draws on it; nothing where it could not tell."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="labels", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+", db_index=False)
    section = models.TextField()
    path = models.TextField()
    method = models.CharField(max_length=40)
    is_used = models.BooleanField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "snapshot", "section", "path"], name="judged_once_a_run"),
        ]
