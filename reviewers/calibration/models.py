"""Labels that came from elsewhere. They are records, and never stand among those of the reviewers here."""

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
    """What a set of labels was read from."""

    EXPORT = "export", "Exported labels"
    TURNS = "turns", "Labelled turns"


class ImportedSet(InsertOnly):
    """Labels from elsewhere that tell of a combination. ``digest`` is the engine's, over those that say anything, whatever their order.

    ``document`` is what exports are: JSON lines, the first of which says what the labels hold for; compressed. ``source`` names where
    they are from. Nobody is named where a command brought them.
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


# What an offline judge was asked to label, and what it said. No label of a person stands here, and none of these among people's.


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


# An active profile that is not believed for the time being, and that it is again. Both are records.


class Suspension(InsertOnly):
    """The confidences of a profile are not believed: from now on scores are shown.

    Either an alarm says so, which is one of the slice above, or a person does.
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
    """Somebody has looked, and says why the profile may be believed again."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    suspension = models.OneToOneField(Suspension, on_delete=models.PROTECT, related_name="lifting")
    lifted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    lifted_at = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="lifted_with_a_reason")]


# What the worker has been asked to do for calibration, and how far it is.


class Undertaken(models.TextChoices):
    """What is done."""

    FIT = "fit", "Fit a profile"
    COMPARE = "compare", "Compare a profile"


class Undertaking(Identified):
    """A profile is fitted to the labels of a combination and to ``imports``, or a ``profile`` is compared: ``done`` of ``total`` answers.

    Once it is finished, a fit names the profile that it proposed, or ``refused`` says why there is none.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Undertaken)
    combination = models.ForeignKey("calibration.SeenCombination", on_delete=models.PROTECT, related_name="undertakings")
    profile = models.ForeignKey("calibration.CalibrationProfile", null=True, on_delete=models.PROTECT, related_name="undertakings")
    imports = ArrayField(models.UUIDField(), default=list)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    refused = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=Undertaken.values), name="undertaking_known"),
            models.CheckConstraint(condition=Q(done__gte=0, done__lte=F("total")), name="undertaken_of_total"),
            models.CheckConstraint(condition=~Q(kind=Undertaken.COMPARE) | Q(profile__isnull=False), name="compared_is_named"),
            models.UniqueConstraint(fields=["combination"], condition=Q(kind=Undertaken.FIT, finished_at=None), name="one_fit_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.done} of {self.total}"


# Combinations that answers came from, sets of labels, the profiles fitted to them, and what was decided of each.
#
# All but combinations are records. A profile's state follows from them: it is proposed until there is a decision; approved, it is the
# active one of its combination until that names another, or none.


class Outcome(models.TextChoices):
    """What became of a proposal."""

    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"


class Depth(models.TextChoices):
    """How far the labels of a profile reach, in the engine's words."""

    METHOD_ONLY = "method_only", "Rules only"
    FULL = "full", "Rules, types and fields"


class SeenCombination(Identified):
    """A model, prompt, schema and engine that answers came from, and its active profile: at most one, for it stands here.

    ``engine`` names the engine's version and its default profile: another of either gives other scores. While there is a
    ``suspension`` of the active profile, answers get scores.
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
    """The labels of a fit. ``digest`` is the engine's, over those that were used, whatever their order.

    ``document`` is what is exported: JSON lines, compressed; each tells what was observed, and of which labels.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    digest = models.BinaryField(max_length=32)
    document = models.BinaryField()
    label_count = models.IntegerField()
    conversation_count = models.IntegerField()
    gathered_at = models.DateTimeField()


class CalibrationProfile(InsertOnly):
    """A profile as it was proposed. ``name`` is the engine's: ``cp_`` and a digest of all that it says.

    ``document`` is the record of the calibration: canonical JSON, compressed. ``parent`` was active when it was proposed.
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
    """What a profile would change on stored answers, against another one, or against the scores where there was none.

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
    """What was decided of a proposal, once and by whom: nobody approves their own.

    ``proposed_by`` repeats the profile's, which a foreign key over both columns holds it to. An approval names the comparison that
    it rests on; whoever rejects says why.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.OneToOneField(CalibrationProfile, on_delete=models.PROTECT, related_name="decision")
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=Outcome)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()
    comparison = models.ForeignKey(Comparison, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=Outcome.APPROVED, comparison__isnull=False)
                | Q(outcome=Outcome.REJECTED, comparison=None) & ~Q(reason=""),
                name="decided_on_what",
            ),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.REJECTED) | ~Q(decided_by=F("proposed_by")), name="approved_by_somebody_else"
            ),
        ]


class Retirement(InsertOnly):
    """A profile is active no longer: another took its place, or somebody said why it may not be believed."""

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
    """Stored answers are attributed again under a profile, the oldest first: ``done`` of ``total``, up to and with ``after``.

    Those that were frozen after ``asked_at`` are under it already.
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
