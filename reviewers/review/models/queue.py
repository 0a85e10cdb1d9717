"""Models of the queue: items, leases, labels of fields, of citations and of words, and submissions.

Labels and submissions are insert-only: a change is a new row. ``QueueItem`` is the narrow table that lists and filters read. A
trigger inserts the item with the first attribution of a snapshot (see ``migrations/sql/queue.sql``).
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.models.plans import Phase, Plan
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.models import InsertOnly


class State(models.TextChoices):
    """The state of an item. That somebody holds it is a lease, not a state."""

    TO_DO = "to_do", "To do"
    SKIPPED = "skipped", "Skipped"
    SUBMITTED = "submitted", "Submitted"


class Verdict(models.TextChoices):
    """A reviewer's verdict on the claim of a row. ``none`` takes a label back."""

    CORRECT = "correct", "Correct"
    WRONG = "wrong", "Wrong"
    MISSTATED = "misstated", "Misstated"
    CANNOT_JUDGE = "cannot_judge", "Can’t judge"
    NONE = "none", "No label"


class CitationVerdict(models.TextChoices):
    """A reviewer's verdict on a citation: what its source says of the cited words. ``none`` takes a label back."""

    SUPPORTS = "supports", "Supports"
    DOES_NOT_SAY = "does_not_say", "Does not say"
    CONTRADICTS = "contradicts", "Contradicts"
    CANNOT_JUDGE = "cannot_judge", "Can’t judge"
    NONE = "none", "No label"


class ClaimVerdict(models.TextChoices):
    """A reviewer's verdict on words of an answer. ``none`` takes it back."""

    UNSUPPORTED = "unsupported", "Not in the record"
    NONE = "none", "No label"


class Truth(models.TextChoices):
    """The truth about the field that follows from a label. It stays valid when the engine changes."""

    USED = "used", "Used"
    NOT_USED = "not_used", "Not used"
    UNKNOWN = "unknown", "Cannot judge"
    NONE = "none", "No label"


class QueueItem(models.Model):
    """A snapshot in the queue, with the attribution that is shown.

    ``facets`` are the values that it can be filtered by, each ``kind:value``; ``citation_counts`` repeats those of its documents.
    ``overlap`` and ``is_blind`` repeat the terms of its
    ``plan``, if it has one. It is submitted once ``overlap`` reviewers have submitted a review; ``submitted_by`` is the last of them.
    ``round`` begins at 1, and each reopening adds one. ``has_unsupported`` is true if it is submitted and one of its reviews says that some
    of its words are not in the record.
    """

    snapshot = models.OneToOneField(Snapshot, primary_key=True, on_delete=models.PROTECT, related_name="item")
    attribution = models.ForeignKey(SnapshotAttribution, on_delete=models.PROTECT, related_name="+", db_index=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    answered_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=State, default=State.TO_DO)
    facets = ArrayField(models.TextField(), default=list)
    citation_counts = ArrayField(models.IntegerField(), default=list, db_default=[])
    found_count = models.IntegerField()
    skipped_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    skip_reason = models.TextField(blank=True)
    submitted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    submitted_at = models.DateTimeField(null=True)
    plan = models.ForeignKey(Plan, null=True, on_delete=models.PROTECT, related_name="queued", db_index=False)
    overlap = models.SmallIntegerField(default=1, db_default=1)
    is_blind = models.BooleanField(default=False, db_default=False)
    phase = models.CharField(max_length=13, choices=Phase, default=Phase.INDEPENDENT, db_default=Phase.INDEPENDENT)
    round = models.SmallIntegerField(default=1, db_default=1)
    has_unsupported = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(plan__isnull=False) | Q(overlap=1, is_blind=False), name="overlap_is_a_plans"),
            models.CheckConstraint(
                condition=Q(state="submitted", phase__in=[Phase.CONSOLIDATING, Phase.COMPLETE])
                | ~Q(state="submitted") & Q(phase=Phase.INDEPENDENT),
                name="item_phase_and_state",
            ),
            models.UniqueConstraint(fields=["snapshot", "overlap"], name="item_with_its_overlap"),
            models.CheckConstraint(condition=Q(state__in=State.values), name="item_state_known"),
            models.CheckConstraint(
                condition=Q(state=State.SKIPPED, skipped_by__isnull=False) & ~Q(skip_reason="") | ~Q(state=State.SKIPPED),
                name="skipped_by_and_why",
            ),
            models.CheckConstraint(
                condition=Q(submitted_by=None, submitted_at=None) | Q(submitted_by__isnull=False, submitted_at__isnull=False),
                name="submitted_by_and_at",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organisation", "answered_at", "snapshot"], name="queue_by_time"),
            models.Index(fields=["organisation", "state", "answered_at", "snapshot"], name="queue_by_state"),
            GinIndex(F("facets"), name="queue_by_facet"),
            models.Index(fields=["plan", "state", "answered_at", "snapshot"], name="queue_by_plan", condition=Q(plan__isnull=False)),
            models.Index(
                fields=["organisation", "submitted_at", "snapshot"], name="queue_in_conflict", condition=Q(phase=Phase.CONSOLIDATING)
            ),
            models.Index(
                fields=["organisation", "snapshot"],
                name="queue_under_blind_review",
                condition=Q(is_blind=True, phase=Phase.INDEPENDENT),
            ),
        ]

    def __str__(self) -> str:
        return f"Item {self.pk}"


class Lease(models.Model):
    """A reviewer's hold on an item until it expires.

    An item has as many slots as its plan wants reviews, else one. A slot in which somebody has submitted is taken for good.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(QueueItem, on_delete=models.PROTECT, related_name="leases", db_index=False)
    slot = models.SmallIntegerField(default=1)
    overlap = models.SmallIntegerField(default=1, db_default=1)
    holder = models.ForeignKey(User, on_delete=models.PROTECT, related_name="leases")
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "slot"], name="one_lease_a_slot"),
            models.UniqueConstraint(fields=["item", "holder"], name="one_lease_a_holder"),
            models.CheckConstraint(condition=Q(slot__gte=1, slot__lte=F("overlap")), name="slot_within_overlap"),
        ]

    def __str__(self) -> str:
        return f"Lease of {self.item_id}"


class Aside(models.Model):
    """An item that a reviewer has skipped while it needs the reviews of others.

    It is not offered to this reviewer again, unless they take it themselves, which deletes this row. The reason is in the audit event.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(QueueItem, on_delete=models.PROTECT, related_name="asides", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    put_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["item", "reviewer"], name="aside_once_a_reviewer")]

    def __str__(self) -> str:
        return f"{self.item_id}, put aside"


class Label(InsertOnly):
    """One person's verdict on one row, and what they were shown when they gave it.

    The newest label of a person on a row counts; ``replaces`` is the one before it. ``reason`` says why a label was changed after
    submission. Labels written by one action share ``action_id``; a label that undoes an action names it in ``undoes``. ``shown`` holds
    profile, engine, method, rule, score, confidence and whether the review was blind.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="labels", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="labels", db_index=False)
    section = models.TextField()
    path = models.TextField()
    verdict = models.CharField(max_length=12, choices=Verdict)
    truth = models.CharField(max_length=12, choices=Truth)
    is_misstated = models.BooleanField(default=False)
    note = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    shown = models.JSONField(default=dict)
    replaces = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_id = models.UUIDField()
    undoes = models.UUIDField(null=True)
    created_at = models.DateTimeField()

    redactable = ("note", "reason")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="verdict_known"),
            models.CheckConstraint(condition=Q(truth__in=Truth.values), name="truth_known"),
            models.CheckConstraint(
                condition=Q(verdict=Verdict.NONE, truth=Truth.NONE) | ~Q(verdict=Verdict.NONE) & ~Q(truth=Truth.NONE),
                name="verdict_and_truth",
            ),
            models.CheckConstraint(
                condition=Q(is_misstated=False) | Q(verdict=Verdict.MISSTATED, truth=Truth.USED), name="misstated_means_used"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "reviewer", "id"], name="label_by_review")]


class CitationLabel(InsertOnly):
    """One person's verdict on one citation, and what they were shown when they gave it.

    A citation is identified by the question that the reviewer answered, in terms of the frozen record: does ``source`` support the words
    from ``start`` to ``end`` of the answer as the model wrote it? A citation without words has neither place. ``is_own`` is true if the
    model made it, false if it was attached or found later. ``repeat`` counts the preceding citations of the same source for the same words.
    ``replaces``, ``reason``, ``action_id`` and ``undoes`` are those of ``Label``.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="citation_labels", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="citation_labels", db_index=False)
    source = models.TextField()
    is_own = models.BooleanField()
    start = models.IntegerField(null=True)
    end = models.IntegerField(null=True)
    repeat = models.IntegerField(default=0)
    verdict = models.CharField(max_length=16, choices=CitationVerdict)
    note = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    shown = models.JSONField(default=dict)
    replaces = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_id = models.UUIDField()
    undoes = models.UUIDField(null=True)
    created_at = models.DateTimeField()

    redactable = ("note", "reason")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(verdict__in=CitationVerdict.values), name="citation_verdict_known"),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__gte=0, end__isnull=False, end__gt=F("start")), name="cited_from_and_to"
            ),
            models.CheckConstraint(condition=Q(repeat__gte=0), name="citation_repeat_counted"),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "reviewer", "id"], name="citation_label_by_review")]


class UnsupportedClaim(InsertOnly):
    """One person's label on words of an answer: nothing in the record supports them.

    ``start`` and ``end`` are places in the text of the answer without any citations and without the traces of markers. ``replaces``,
    ``reason``, ``action_id`` and ``undoes`` are those of ``Label``.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="unsupported_claims", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="unsupported_claims", db_index=False)
    start = models.IntegerField()
    end = models.IntegerField()
    verdict = models.CharField(max_length=12, choices=ClaimVerdict)
    note = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    shown = models.JSONField(default=dict)
    replaces = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_id = models.UUIDField()
    undoes = models.UUIDField(null=True)
    created_at = models.DateTimeField()

    redactable = ("note", "reason")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(verdict__in=ClaimVerdict.values), name="claim_verdict_known"),
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="claim_from_and_to"),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "reviewer", "id"], name="claim_by_review")]


class Submission(InsertOnly):
    """A reviewer's submitted review: the number of its labels, and a digest over them in the order of section and path.

    ``slot`` is the one that the reviewer held, so an item gets no more reviews than its plan wants. ``round`` is that of the item.
    Submissions of earlier rounds stay but do not count.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="submissions", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions", db_index=False)
    slot = models.SmallIntegerField(default=1, db_default=1)
    round = models.SmallIntegerField(default=1, db_default=1)
    submitted_at = models.DateTimeField()
    label_count = models.IntegerField()
    digest = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["snapshot", "round", "reviewer"], name="one_submission_a_reviewer"),
            models.UniqueConstraint(fields=["snapshot", "round", "slot"], name="one_submission_a_slot"),
        ]
        indexes: ClassVar = [models.Index(fields=["reviewer", "submitted_at"], name="submission_by_reviewer")]


class SavedView(InsertOnly):
    """A filter of the queue under a name, for its owner or, if it is shared, for the organisation.

    ``query`` is that of the list's address, without the words of a search. A change, or the removal, is a new row that ``replaces`` the
    one before it, of the same owner.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    name = models.CharField(max_length=60)
    query = models.TextField(blank=True)
    is_shared = models.BooleanField(default=False)
    is_removed = models.BooleanField(default=False)
    replaces = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="successor")
    saved_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(name=""), name="view_has_a_name"),
            models.CheckConstraint(condition=Q(is_removed=False) | Q(replaces__isnull=False), name="only_a_saved_view_is_removed"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "owner"], name="saved_view_by_owner")]


OTHER_NAMES = "other names"
"""The name that names are counted under which are not counted apart."""


class CountedName(models.Model):
    """A name that counts keep apart: of a model, a prompt version, a section, or a prompt version ``of_model``.

    It is counted apart for items from ``first_id`` on. An organisation has room for so many of each ``kind``, and for more every month; a
    trigger adds them, and the rest is counted as ``OTHER_NAMES``.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.TextField()
    of_model = models.TextField(blank=True)
    name = models.TextField()
    first_id = models.UUIDField()
    first_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "kind", "of_model", "name"], name="one_counted_name"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


class Tally(models.Model):
    """The number of items with a facet, in shards so that concurrent writers do not wait for one row. The sum of the shards is the count.

    ``facet`` is one of the items' facets, with ``OTHER_NAMES`` for names that are not counted apart, or ``state:…`` for items that are not
    to do. Triggers keep it.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    facet = models.TextField()
    shard = models.SmallIntegerField()
    count = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "facet", "shard"], name="one_tally_a_shard"),
        ]

    def __str__(self) -> str:
        return f"{self.facet}: {self.count}"
