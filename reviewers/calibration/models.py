"""Models of calibration: combinations, label sets, profiles and the decisions about them, imports, judging and background tasks.

All but combinations and tasks are records. The state of a profile follows from them: it is proposed until it is decided; once approved, it
is the active profile of its combination until that names another, or none.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.models import Plan
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import Identified, InsertOnly


class Origin(models.TextChoices):
    """The origin of an imported set."""

    EXPORT = "export", "Exported labels"
    TURNS = "turns", "Labelled turns"


class ImportedSet(InsertOnly):
    """Imported labels on a combination. ``digest`` is the engine's, over the usable labels in any order.

    ``document`` has the format of an export: JSON lines, compressed, the first of which describes the labels. ``source`` names their
    origin. ``imported_by`` is null if a command imported them.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    combination = models.ForeignKey("calibration.SeenCombination", on_delete=models.PROTECT, related_name="imports")
    origin = models.CharField(max_length=8, choices=Origin)
    source = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32)
    document = models.BinaryField()
    label_count = models.IntegerField()
    conversation_count = models.IntegerField()
    imported_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    imported_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "combination", "digest"], name="imported_once"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="origin_known"),
            models.CheckConstraint(condition=Q(label_count__gt=0) & ~Q(source=""), name="imported_from_somewhere"),
        ]


class JudgeRun(Identified):
    """A run of the judge over the answers of a plan, the oldest first: ``done`` of ``total``, up to and including ``after``.

    ``unread`` of them got no readable reply. Tokens are as the endpoint counts them. A run ends when it is finished, stopped by a person,
    or stopped by the endpoint for a ``reason``. The judge's labels are kept apart from people's.
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
    """A judge's verdict on a field that a row claims: whether the answer draws on it; null if it could not tell."""

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


class Suspension(InsertOnly):
    """A suspension of an active profile: scores are shown instead of its confidences.

    Its cause is either an alarm, which belongs to the slice above, or a person.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.ForeignKey("calibration.CalibrationProfile", on_delete=models.PROTECT, related_name="suspensions")
    alarm = models.UUIDField(null=True)
    suspended_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    because = models.TextField()
    suspended_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["profile", "alarm"], name="suspended_once_an_alarm"),
            models.CheckConstraint(condition=~Q(because=""), name="suspended_because"),
            models.CheckConstraint(
                condition=Q(alarm=None, suspended_by__isnull=False) | Q(alarm__isnull=False, suspended_by=None),
                name="suspended_by_an_alarm_or_somebody",
            ),
        ]


class Lifting(InsertOnly):
    """The lifting of a suspension, with a reason."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    suspension = models.OneToOneField(Suspension, on_delete=models.PROTECT, related_name="lifting")
    lifted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    lifted_at = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="lifted_with_a_reason")]


class TaskKind(models.TextChoices):
    """The kinds of background tasks."""

    FIT = "fit", "Fit a profile"
    COMPARE = "compare", "Compare a profile"


class BackgroundTask(Identified):
    """A background task: fit a profile to a combination's labels and ``imports``, or compare a ``profile``, with its progress.

    ``thresholds`` are those that are chosen for the profile.

    A finished fit names the profile that it proposed, or ``refused`` says why there is none.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=TaskKind)
    combination = models.ForeignKey("calibration.SeenCombination", on_delete=models.PROTECT, related_name="background_tasks")
    profile = models.ForeignKey("calibration.CalibrationProfile", null=True, on_delete=models.PROTECT, related_name="background_tasks")
    imports = ArrayField(models.UUIDField(), default=list)
    thresholds = models.JSONField(default=dict)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    refused = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=TaskKind.values), name="background_task_known"),
            models.CheckConstraint(condition=Q(done__gte=0, done__lte=F("total")), name="background_task_done_of_total"),
            models.CheckConstraint(condition=~Q(kind=TaskKind.COMPARE) | Q(profile__isnull=False), name="compared_is_named"),
            models.UniqueConstraint(fields=["combination"], condition=Q(kind=TaskKind.FIT, finished_at=None), name="one_fit_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.done} of {self.total}"


class ProfileOutcome(models.TextChoices):
    """The outcomes of a proposal."""

    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"


class Depth(models.TextChoices):
    """The depth of a profile's table, in the engine's words."""

    METHOD_ONLY = "method_only", "Rules only"
    FULL = "full", "Rules, types and fields"


class SeenCombination(Identified):
    """A model, prompt, schema and engine that answers came from, with at most one active profile.

    ``engine`` names the engine's version and its default profile: another of either gives other scores. While ``suspension`` is set,
    answers show scores.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=200, blank=True)
    schema_version = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=80)
    first_seen_at = models.DateTimeField()
    active = models.OneToOneField("CalibrationProfile", null=True, on_delete=models.PROTECT, related_name="active_in")
    suspension = models.ForeignKey(Suspension, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "model", "prompt_version", "schema_version", "engine"], name="one_combination_a_scope"
            ),
            models.CheckConstraint(condition=Q(suspension=None) | Q(active__isnull=False), name="only_an_active_one_is_suspended"),
        ]

    def __str__(self) -> str:
        return " · ".join(name or "not given" for name in (self.model, self.prompt_version))


class LabelSet(InsertOnly):
    """The labels of a fit. ``digest`` is the engine's, over the labels used, in any order.

    ``document`` is what is exported: JSON lines, compressed; each has an observation and its labels.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    digest = models.BinaryField(max_length=32)
    document = models.BinaryField()
    label_count = models.IntegerField()
    conversation_count = models.IntegerField()
    gathered_at = models.DateTimeField()


class CalibrationProfile(InsertOnly):
    """A profile as it was proposed. ``name`` is the engine's: ``cp_`` and a digest of its content.

    ``document`` is the record of the calibration: canonical JSON, compressed. ``parent`` was active when it was proposed, or was
    transferred.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    combination = models.ForeignKey(SeenCombination, on_delete=models.PROTECT, related_name="profiles")
    name = models.CharField(max_length=40)
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    labels = models.OneToOneField(LabelSet, on_delete=models.PROTECT, related_name="profile")
    document = models.BinaryField()
    depth = models.CharField(max_length=12, choices=Depth)
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "name"], name="one_profile_a_name"),
            models.UniqueConstraint(fields=["id", "combination"], name="profile_with_its_combination"),
            models.UniqueConstraint(fields=["id", "proposed_by"], name="profile_with_its_proposer"),
            models.CheckConstraint(condition=Q(depth__in=Depth.values), name="profile_depth_known"),
        ]


class Comparison(InsertOnly):
    """The changes that a profile would make on stored answers, against another profile or, if there was none, the scores.

    ``document`` is the engine's report, ``changes`` the rows that cross a threshold: both canonical JSON, compressed.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.ForeignKey(CalibrationProfile, on_delete=models.PROTECT, related_name="comparisons")
    against = models.ForeignKey(CalibrationProfile, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    message_count = models.IntegerField()
    changed_count = models.IntegerField()
    document = models.BinaryField()
    changes = models.BinaryField()
    compared_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(changed_count__gte=0, changed_count__lte=F("message_count")), name="changed_of_compared"),
        ]


class ProfileDecision(InsertOnly):
    """The one decision on a proposal; nobody approves their own.

    ``proposed_by`` repeats the profile's, which a foreign key over both columns enforces. An approval names the comparison that it rests
    on; a rejection has a reason.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.OneToOneField(CalibrationProfile, on_delete=models.PROTECT, related_name="decision")
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=ProfileOutcome)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()
    comparison = models.ForeignKey(Comparison, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=ProfileOutcome.APPROVED, comparison__isnull=False)
                | Q(outcome=ProfileOutcome.REJECTED, comparison=None) & ~Q(reason=""),
                name="decided_on_what",
            ),
            models.CheckConstraint(
                condition=Q(outcome=ProfileOutcome.REJECTED) | ~Q(decided_by=F("proposed_by")), name="approved_by_somebody_else"
            ),
        ]


class Retirement(InsertOnly):
    """The end of a profile's use: another replaced it, or a person gave a reason."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.OneToOneField(CalibrationProfile, on_delete=models.PROTECT, related_name="retirement")
    replaced_by = models.ForeignKey(CalibrationProfile, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    retired_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    retired_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(replaced_by__isnull=False) | ~Q(reason=""), name="replaced_or_why_not"),
        ]


class Recomputation(Identified):
    """A recomputation of stored answers under a profile, the oldest first: ``done`` of ``total``, up to and including ``after``.

    Answers frozen after ``asked_at`` are under the profile already.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.OneToOneField(CalibrationProfile, on_delete=models.PROTECT, related_name="recomputation")
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    total = models.IntegerField()
    done = models.IntegerField(default=0)
    after = models.UUIDField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__gte=0, done__lte=F("total")), name="done_of_total"),
        ]

    def __str__(self) -> str:
        return f"{self.done} of {self.total}"
