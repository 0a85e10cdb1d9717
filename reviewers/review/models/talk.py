"""Models of what people write about an item to each other: flags, their resolutions, comments and mentions. All are insert-only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import InsertOnly


class FlagKind(models.TextChoices):
    """The kinds of places of an answer that can be flagged."""

    FINDING = "finding", "A finding"
    ROW = "row", "A field"
    CITATION = "citation", "A citation"
    WORDS = "words", "Words of the answer"


class Flag(InsertOnly):
    """A reviewer's remark on one place of an answer, for a lead to see. It is open until somebody resolves it.

    ``finding`` names a finding of a guardrail or a citation issue. ``place`` names any other place: section and path of a field, the key
    that labels of a citation are stored under, or start and end of words in the answer without markers. ``request`` is the identifier that
    a program gave to the request which put it.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="flags")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=FlagKind, default=FlagKind.FINDING)
    finding = models.TextField(blank=True)
    place = models.JSONField(default=dict)
    note = models.TextField()
    created_at = models.DateTimeField()
    request = models.UUIDField(null=True)

    redactable = ("finding", "note")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind=FlagKind.FINDING) & ~Q(finding="") | Q(kind__in=["row", "citation", "words"], finding=""),
                name="flagged_place_known",
            ),
            models.UniqueConstraint(
                fields=["snapshot", "reviewer", "request"], condition=Q(request__isnull=False), name="one_flag_a_request"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="flag_by_organisation")]


class FlagResolution(InsertOnly):
    """The end of a flag: who resolved it, when, and a note that says what came of it."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    flag = models.OneToOneField(Flag, on_delete=models.PROTECT, related_name="resolution")
    resolved_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    note = models.TextField()
    resolved_at = models.DateTimeField()

    redactable = ("note",)

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(note=""), name="resolved_with_a_note")]


class Comment(InsertOnly):
    """One contribution to the thread of an item. ``request`` is the identifier that a program gave to the request which wrote it."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    written_at = models.DateTimeField()
    request = models.UUIDField(null=True)

    redactable = ("text",)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(text=""), name="comment_has_words"),
            models.UniqueConstraint(
                fields=["snapshot", "author", "request"], condition=Q(request__isnull=False), name="one_comment_a_request"
            ),
        ]


class Mention(InsertOnly):
    """A member whom a comment names. They have read it once they have opened the item while they could see the comment."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    comment = models.ForeignKey(Comment, on_delete=models.PROTECT, related_name="mentions", db_index=False)
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["comment", "person"], name="mentioned_once_a_comment")]
        indexes: ClassVar = [models.Index(fields=["person", "organisation"], name="mention_by_person")]
