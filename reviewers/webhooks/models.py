"""Endpoints, which are addresses of programs or members who get mail, the outbox of deliveries to them, and each attempt at a delivery."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.models import QueueItem
from reviewers.web.models import Identified, InsertOnly


class EventKind(models.TextChoices):
    """The kinds of events that an endpoint can ask for. The values are in what is sent, so a value never changes its meaning."""

    CONTRADICTION = "record.contradicted", "An answer contradicts its record"
    FLAG = "flag.raised", "A reviewer flagged a place of an answer"
    CONFLICT = "conflict.found", "The labels of an answer conflict"
    ALARM = "alarm.raised", "An alarm of quality was raised"
    REPORT = "report.finished", "A report is finished"
    REPORT_FAILED = "report.failed", "A report could not be made"
    PROFILE_PROPOSED = "profile.proposed", "A profile waits for approval"
    PROFILE_SUSPENDED = "profile.suspended", "A profile is suspended"
    PLAN = "plan.finished", "A plan is complete"
    VERIFICATION = "verification.failed", "A verification of the ledger failed"
    ENDPOINT_OFF = "endpoint.off", "A webhook endpoint went off, as nothing could be delivered"


class OffReason(models.TextChoices):
    """Why an endpoint is off. The values are part of audit events."""

    PERSON = "person", "Switched off"
    GONE = "gone", "Off: it answered 410, gone"
    FAILING = "failing", "Off: a delivery failed for a day"
    LEFT = "left", "Off: is no member any more"


class Endpoint(Identified):
    """An address that is told what happened, or a member who gets mail. ``off_reason`` is empty while it is on.

    The secret of an address signs what is sent. It is stored encrypted, like those of second factors. A member has no other address than
    their own, and with ``is_daily`` one mail a day. With ``includes_text`` a message about an answer has its question and text; mail never.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    address = models.CharField(max_length=500, blank=True)
    subscriber = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    is_daily = models.BooleanField(default=False, db_default=False)
    kinds = ArrayField(models.CharField(max_length=30, choices=EventKind))
    includes_text = models.BooleanField(default=False, db_default=False)
    sealed_secret = models.TextField(blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField()
    off_reason = models.CharField(max_length=10, choices=OffReason, blank=True, default="", db_default="")
    switched_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["id", "organisation"], name="endpoint_and_its_organisation"),
            models.UniqueConstraint(fields=["organisation", "subscriber"], name="one_subscription_a_member"),
            models.CheckConstraint(
                condition=Q(subscriber=None, address__startswith="https://", is_daily=False)
                | Q(subscriber__isnull=False, address="", sealed_secret="", includes_text=False),
                name="endpoint_over_https_or_a_member",
            ),
            models.CheckConstraint(condition=Q(kinds__len__gt=0), name="endpoint_asks_for_something"),
            models.CheckConstraint(condition=Q(off_reason="") | Q(switched_at__isnull=False), name="endpoint_switched_off_when"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "created_at"], name="endpoint_by_time")]


class Delivery(InsertOnly):
    """Something that happened, for one endpoint: the outbox. It is written in the transaction of what happened, and never changed.

    ``body`` is sent as it is at each attempt; text, if the endpoint is marked for it, is added then and not kept. ``item`` is the answer
    that it is about, if it is about one that may be under blind review.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="deliveries", db_index=False)
    kind = models.CharField(max_length=30, choices=EventKind)
    object_id = models.UUIDField()
    item = models.ForeignKey(QueueItem, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    happened_at = models.DateTimeField()
    body = models.TextField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["id", "organisation"], name="delivery_and_its_organisation"),
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="delivery_kind_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["endpoint", "-id"], name="delivery_newest")]


class DueDelivery(models.Model):
    """A delivery that is still to be sent, at ``due_at`` or later. ``failures`` counts the attempts since it was last asked for."""

    delivery = models.OneToOneField(Delivery, primary_key=True, on_delete=models.PROTECT, related_name="due")
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+", db_index=False)
    due_at = models.DateTimeField()
    failures = models.SmallIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=Q(failures__gte=0), name="failures_counted")]
        indexes: ClassVar = [models.Index(fields=["endpoint", "due_at"], name="due_by_endpoint")]

    def __str__(self) -> str:
        return f"due delivery {self.pk}"


class Attempt(InsertOnly):
    """An attempt at a delivery: the status that the endpoint answered with, or why there is none. Nothing else of an answer is kept."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    delivery = models.ForeignKey(Delivery, on_delete=models.PROTECT, related_name="attempts")
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    status = models.SmallIntegerField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__gte=200, status__lt=300, reason="") | ~Q(reason=""),
                name="delivered_or_why_not",
            ),
        ]
