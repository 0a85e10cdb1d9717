"""What is counted of answers, by the names of the columns.

``answers`` are all; most of the others say how many answers have one of the queue's facets. ``labels`` counts verdicts that hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.web.models import InsertOnly

FACETS: Mapping[str, str] = {
    "by_citation": "source:citation",
    "by_mixed": "source:mixed",
    "by_heuristic": "source:heuristic",
    "by_none": "source:none",
    "contradicted": "guardrail:contradicted",
    "unknown": "guardrail:unknown",
    "absent": "guardrail:absent",
    "hidden": "guardrail:hidden",
    "ambiguous": "guardrail:ambiguous",
    "echoed": "guardrail:echoed",
    "quoted": "guardrail:quoted",
    "malformed": "guardrail:malformed",
    "duplicate": "guardrail:duplicate",
    "over_cited": "guardrail:over_cited",
    "withheld": "answer:withheld",
    "repaired": "answer:repaired",
}
"""Figures that count the answers with a facet."""

FIGURES = ("answers", *FACETS, "documented", "citing", "found_afterwards", "submitted", "blind", "labels", "given")
"""All of them, in the order of the columns.

``documented`` are answers that were given documents, ``citing`` those of them that were given at all and cite some by themselves.
``found_afterwards`` are answers that a search found citations for, ``submitted`` those whose review is complete, ``blind`` those that
somebody may have yet to judge without knowing what the engine says. ``given`` stands in rows of a section: so many answers were given it.
"""


# What is counted of answers by model, prompt version and day, and the alarms that are raised by it.
#
# The counts are no records: they repeat what the queue and the labels say, and can be counted again (``manage.py rollup``).


_SHARED = ("organisation", "section", "day", "model", "prompt_version")


class Counted(models.Model):
    """Counts of the answers of one day by one model with one prompt version, or of those of them that draw on one ``section``.

    ``day`` is that of the answer, in UTC. Without a section the row has all figures; with one, how many ``answers`` draw on it, of those
    that were ``given`` it.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    model = models.TextField()
    prompt_version = models.TextField()
    day = models.DateField()
    section = models.TextField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}"


for _figure in FIGURES:
    Counted.add_to_class(_figure, models.IntegerField(default=0, db_default=0))


class Delta(Counted):
    """What one statement changed of the counts; written by triggers, folded into day totals by the worker."""

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="delta_by_organisation")]


class DayTotal(Counted):
    """The deltas of a day, folded. What is so is the sum of both.

    The sections of a year are tens of thousands of rows, of which a page needs two figures: these it finds in an index.
    """

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=_SHARED, name="one_total_a_day")]
        indexes: ClassVar = [
            models.Index(fields=["organisation", "day"], condition=Q(section="") & ~Q(blind=0), name="day_with_some_blind"),
            models.Index(fields=_SHARED, include=["answers", "given"], condition=Q(section__gt=""), name="sections_without_their_rows"),
        ]


class Watched(models.TextChoices):
    """What is watched of each model and prompt version: it should not rise, or, of adoption, not fall."""

    UNKNOWN = "unknown", "Unknown fields"
    ADOPTION = "adoption", "Adoption"
    OVER_CITED = "over_cited", "Over-citation"
    CONTRADICTED = "contradicted", "Contradiction"
    REPAIRED = "repaired", "Repair"
    PRECISION = "precision", "Audit precision"


class Watch(models.Model):
    """How far a watch is: what it learns its level from, then its bets against that level.

    ``trials`` counts conversations and ``hits`` sums their shares, first while it learns, then while it watches, which begins with
    ``since``. ``rate`` is the highest level that is still right, once it is learned; ``wealths`` are those of the bets, ``through`` the
    last day that was looked at. While ``alarm`` waits for somebody it stands still. Precision is watched of each schema by itself, as
    a profile holds for one: ``profiles`` names the one whose confidences are bet against, and ``rate`` is the share of errors that
    these allow.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    model = models.TextField()
    prompt_version = models.TextField()
    schema_version = models.TextField(blank=True, db_default="")
    figure = models.CharField(max_length=12, choices=Watched)
    rate = models.FloatField(null=True)
    wealths = ArrayField(models.FloatField(), default=list)
    trials = models.IntegerField(default=0)
    hits = models.FloatField(default=0)
    since = models.DateField(null=True)
    through = models.DateField()
    alarm = models.ForeignKey("Alarm", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    profiles = models.TextField(blank=True, db_default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "model", "prompt_version", "schema_version", "figure"], name="one_watch_a_figure"
            ),
            models.CheckConstraint(condition=Q(figure__in=Watched.values), name="watched_figure_known"),
            models.CheckConstraint(
                condition=Q(rate=None, since=None) | Q(rate__gt=0, rate__lt=1, since__isnull=False), name="level_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"Watch {self.pk}"


class Alarm(InsertOnly):
    """A figure has left its level: ``hits`` in ``trials`` conversations from ``since`` to ``day``, where at most ``rate`` was right.

    ``evidence`` is what the bets against that had come to: it is at least 1 in the probability of a false alarm.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    model = models.TextField()
    prompt_version = models.TextField()
    schema_version = models.TextField(blank=True, db_default="")
    figure = models.CharField(max_length=12, choices=Watched)
    rate = models.FloatField()
    trials = models.IntegerField()
    hits = models.FloatField()
    evidence = models.FloatField()
    since = models.DateField()
    day = models.DateField()
    raised_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "model", "prompt_version", "schema_version", "figure", "day"], name="one_alarm_a_day"
            ),
            models.CheckConstraint(condition=Q(figure__in=Watched.values), name="alarm_figure_known"),
            models.CheckConstraint(condition=Q(rate__gt=0, rate__lt=1), name="alarm_rate_is_a_share"),
        ]


class Acknowledgement(InsertOnly):
    """Somebody has seen to an alarm, and says why it may rest. The watch then begins anew."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    alarm = models.OneToOneField(Alarm, on_delete=models.PROTECT, related_name="acknowledgement")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    reason = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="acknowledged_with_a_reason")]
