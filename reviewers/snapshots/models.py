"""Protected text as it may be stored in text columns and shown: nothing invisible stays invisible, nothing is dropped."""

from __future__ import annotations

import re
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation
from reviewers.web.models import InsertOnly

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """A key that PostgreSQL can hold, different for different keys: what it cannot hold is written as its JSON escape."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def visible(text: str) -> str:
    """A text that PostgreSQL can hold: NUL as its symbol, a lone surrogate as the replacement character. The bytes are kept elsewhere."""
    return _UNSTORABLE.sub(lambda match: "␀" if match.group() == "\0" else "�", text)


# A snapshot is a message frozen with what the model saw; an attribution is what the engine says of it under one profile.


class Profile(InsertOnly):
    """A profile as it was when it attributed anything, so that old screens can be drawn again. Its name is the digest of its data."""

    id = models.CharField(primary_key=True, max_length=40)  # type: ignore[assignment]  # a name, where other records have a UUID
    document = models.BinaryField()


class Snapshot(InsertOnly):
    """A message frozen with what the model saw.

    ``record`` is the input as it came, byte for byte, and ``digest`` its SHA-256. ``content_digest`` is that of its canonical form:
    equal for equal contents however they are written, which is what makes sending one again harmless. ``search`` indexes the words of
    the user's text and of the answer, and the names: id, conversation, client, provider, model, prompt and schema version.
    ``instruction_reported`` is what the runtime said of the citation instruction,
    ``instruction_switch`` how the organisation's switch stood when the message was frozen. ``given_sections`` are those of the context
    that the model was shown something of; nothing in rows from before that was kept.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    external_id = models.CharField(max_length=200)
    conversation_id = models.CharField(max_length=200, blank=True)
    turn_index = models.IntegerField(null=True)
    client_reference = models.CharField(max_length=200, blank=True)
    provider = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=200, blank=True)
    schema_version = models.CharField(max_length=200, blank=True)
    answered_at = models.DateTimeField()
    frozen_at = models.DateTimeField()
    record = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    content_digest = models.BinaryField(max_length=32)
    excerpt = models.CharField(max_length=200, blank=True)
    search = SearchVectorField()
    hidden_sections = ArrayField(models.TextField(), default=list)
    given_sections = ArrayField(models.TextField(), null=True)
    completeness = models.JSONField(default=dict)
    completeness_threshold = models.FloatField(null=True)
    instruction_reported = models.BooleanField(null=True)
    instruction_switch = models.BooleanField()

    redactable = ("record", "digest", "content_digest", "excerpt", "search", "conversation_id", "client_reference", "provider")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "external_id"], name="one_snapshot_an_external_id"),
        ]
        indexes: ClassVar = [GinIndex(F("search"), name="snapshot_search")]


class SnapshotAttribution(InsertOnly):
    """What the engine says of a snapshot under a profile: one for each profile and engine version.

    ``document`` is canonical JSON, compressed; ``digest`` is the SHA-256 of it before compression. The counts and codes beside it
    repeat what lists and filters need.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="attributions", db_index=False)
    profile = models.ForeignKey(Profile, on_delete=models.PROTECT, related_name="+", db_index=False)
    engine_version = models.CharField(max_length=20)
    attributed_at = models.DateTimeField()
    document = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    source = models.CharField(max_length=20)
    guardrails = models.JSONField(default=dict)
    sections = ArrayField(models.TextField(), default=list)
    field_count = models.IntegerField()
    found_count = models.IntegerField()
    cited_count = models.IntegerField()

    redactable = ("document", "digest", "source", "guardrails", "sections", "found_count", "cited_count")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["snapshot", "profile", "engine_version"], name="one_attribution_a_profile"),
        ]


class SnapshotDocuments(InsertOnly):
    """What the engine says of an answer's citations of documents, beside its attribution to fields; none where a record has no documents.

    ``document`` is canonical JSON, compressed; ``digest`` is the SHA-256 of it before compression. The counts and words beside it
    repeat what lists and summaries need: ``source_count`` could be cited, ``cited_count`` are; ``issues`` are counts by code.
    ``policy`` is what the organisation's switches asked for at that moment; ``repaired_count`` sources were attached afterwards.
    ``is_withheld`` says whether the assistant withheld its answer, and nothing in rows from before that was kept.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    attribution = models.OneToOneField(SnapshotAttribution, on_delete=models.PROTECT, related_name="documents")
    document = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    issues = models.JSONField(default=dict)
    validity = models.CharField(max_length=20)
    trust = models.CharField(max_length=20)
    source_count = models.IntegerField()
    cited_count = models.IntegerField()
    policy = models.JSONField(default=dict)
    repaired_count = models.IntegerField(default=0)
    is_withheld = models.BooleanField(null=True)

    redactable = ("document", "digest", "issues", "validity", "trust", "source_count", "cited_count", "repaired_count", "is_withheld")


class SearchOutcome(models.TextChoices):
    """What a search for citations came to. Skipped ones had nothing to look for or nothing to look in."""

    FOUND = "found", "Found"
    NOTHING = "nothing", "Nothing found"
    FAILED = "failed", "Failed"
    SKIPPED = "skipped", "Skipped"


class CitationSearch(InsertOnly):
    """Citations are to be looked for in an answer that has none. ``number`` counts the searches of an attribution, from 1.

    ``method`` is a word of the engine's. It is pending until it has a result.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    attribution = models.ForeignKey(SnapshotAttribution, on_delete=models.PROTECT, related_name="searches", db_index=False)
    number = models.SmallIntegerField()
    method = models.CharField(max_length=10)
    asked_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["attribution", "number"], name="one_search_a_number"),
            models.CheckConstraint(condition=Q(method__in=["words", "model"]), name="search_method_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "asked_at"], name="search_by_time")]


class CitationSearchResult(InsertOnly):
    """How a search ended: one result each, whoever runs it how often.

    ``document`` is canonical JSON, compressed, and ``digest`` the SHA-256 of it before compression; both are there if the search came
    to an end of its own. ``reason`` says why it did not, without a word of the answer or its sources.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    search = models.OneToOneField(CitationSearch, on_delete=models.PROTECT, related_name="result")
    outcome = models.CharField(max_length=10, choices=SearchOutcome)
    reason = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200, blank=True)
    document = models.BinaryField(null=True)
    digest = models.BinaryField(max_length=32, null=True)
    found_count = models.IntegerField(default=0)
    refused_count = models.IntegerField(default=0)
    attempts = models.SmallIntegerField()
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField()

    redactable = ("outcome", "reason", "document", "digest", "found_count", "refused_count")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome__in=["found", "nothing"], document__isnull=False, digest__isnull=False, reason="")
                | Q(outcome__in=["failed", "skipped"], document=None, digest=None) & ~Q(reason=""),
                name="search_ended_or_why_not",
            ),
            models.CheckConstraint(
                condition=Q(outcome="found", found_count__gt=0) | ~Q(outcome="found") & Q(found_count=0), name="found_is_counted"
            ),
        ]
