"""Counts of answers by model, prompt version and day, and the alarms raised from them.

The counts are derived: they repeat what the queue and the labels say, and ``manage.py rollup --check`` counts them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.snapshots.models import CITATION_COUNTS
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
"""Figures that count the answers with one of the queue's facets."""

COLOURS: Mapping[str, str] = {"green": "validity:green", "yellow": "validity:yellow", "red": "validity:red"}
"""Figures that count the answers of a validity, of those that were sent."""

FAILURES: Mapping[str, str] = {"opposed": "issue:opposite", "unquoted": "issue:quote_not_found", "unsupported": "issue:figure_not_found"}
"""Figures that count citations that failed a check, each with the facet of the answers that have one."""

FIGURES = (
    "answers",
    *FACETS,
    "documented",
    "citing",
    *COLOURS,
    *CITATION_COUNTS,
    "found_afterwards",
    "submitted",
    "not_in_record",
    "blind",
    "labels",
    "given",
)
"""All figures, in the order of their columns.

``answers`` counts all answers and ``labels`` the verdicts in force. ``documented`` are answers that were given documents; ``citing`` are
those of them that were sent and cite a document without repair. ``citations`` and ``quotes`` count the citations of these, and
``FAILURES`` those of them that failed a check; ``well_sourced`` are answers whose three sources on top are of tier 1 or 2,
and ``sentences`` those of the answers that cite.
``found_afterwards`` are answers for which a search found citations, ``submitted`` those whose review is complete, ``not_in_record`` those
of them in which a reviewer found an unsupported claim, and ``blind`` those that somebody may have yet to judge without knowing the engine's
result. ``given`` is used in the rows of a section: the answers that were given it.
"""


_SHARED = ("organisation", "section", "day", "model", "prompt_version")


class DailyCounts(models.Model):
    """Counts of one day's answers by one model with one prompt version, or of those that draw on one ``section``.

    ``day`` is the answer's day in UTC. A row without a section has all figures; a row with one has the ``answers`` that draw on it and the
    answers that were ``given`` it.
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
    DailyCounts.add_to_class(_figure, models.IntegerField(default=0, db_default=0))


class Delta(DailyCounts):
    """A change of the counts by one statement. Triggers write it and the worker folds it into day totals."""

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="delta_by_organisation")]


class DayTotal(DailyCounts):
    """The folded deltas of a day. The current count is the total plus the deltas that are not folded yet.

    A year has tens of thousands of rows with a section, of which a page needs two figures: an index holds both.
    """

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=_SHARED, name="one_total_a_day")]
        indexes: ClassVar = [
            models.Index(fields=["organisation", "day"], condition=Q(section="") & ~Q(blind=0), name="day_with_some_blind"),
            models.Index(fields=_SHARED, include=["answers", "given"], condition=Q(section__gt=""), name="sections_without_their_rows"),
        ]


class Watched(models.TextChoices):
    """Figures watched for each model and prompt version. Adoption and precision should not fall; the others should not rise."""

    UNKNOWN = "unknown", "Unknown fields"
    ADOPTION = "adoption", "Adoption"
    OVER_CITED = "over_cited", "Over-citation"
    CONTRADICTED = "contradicted", "Contradiction"
    REPAIRED = "repaired", "Repair"
    WITHHELD = "withheld", "Abstention"
    RED = "red", "Validity red"
    OPPOSED = "opposed", "Opposed citations"
    UNQUOTED = "unquoted", "Quotes not found"
    UNSUPPORTED = "unsupported", "Unsupported figures"
    PRECISION = "precision", "Audit precision"


class Watch(models.Model):
    """The progress of a watch: the level that it has learned, then its bets against that level.

    ``trials`` counts conversations and ``hits`` sums their shares, first while the watch learns, then from ``since`` on while it watches.
    ``rate`` is the highest level that is accepted, once learned; ``wealths`` are the results of the bets; ``through`` is the last day that
    was watched. While ``alarm`` waits for somebody, the watch pauses.

    Precision is watched for each schema by itself, because a profile belongs to one. ``profiles`` then names the profile whose confidences
    are bet against, and ``rate`` is the share of errors that they allow.
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
    """A figure has left its level: ``hits`` in ``trials`` conversations from ``since`` to ``day``, where at most ``rate`` was accepted.

    ``evidence`` is the result of the bets: it is at least 1 divided by the probability of a false alarm.
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
    """A person's reason to close an alarm. The watch then begins anew."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    alarm = models.OneToOneField(Alarm, on_delete=models.PROTECT, related_name="acknowledgement")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    reason = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="acknowledged_with_a_reason")]
