"""Models of snapshots: frozen turns, their attributions to fields and documents, searches for citations, and traces that become turns."""

from __future__ import annotations

import re
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, ServiceKey, User
from reviewers.web.models import Identified, InsertOnly

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Return a key as PostgreSQL can store it, distinct for distinct keys: characters it cannot store become their JSON escapes."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def visible(text: str) -> str:
    """Return a text as PostgreSQL can store and pages can show it: NUL as its symbol, a lone surrogate as the replacement character."""
    return _UNSTORABLE.sub(lambda match: "␀" if match.group() == "\0" else "�", text)


class Profile(InsertOnly):
    """A profile as it was when it attributed anything, so that old pages can be shown again. Its name is the digest of its data."""

    id = models.CharField(primary_key=True, max_length=40)  # type: ignore[assignment]  # a name, where other records have a UUID
    document = models.BinaryField()


class ProposalOutcome(models.TextChoices):
    """The outcomes of a proposal to use a version."""

    APPROVED = "approved", "Approved"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class Version(InsertOnly):
    """A text of an organisation that comes into use when two people agree. A program writes it with its key, and cannot propose it.

    ``document`` is the text in UTF-8, and ``digest`` its SHA-256.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    document = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    written_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    written_with = models.ForeignKey(ServiceKey, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    written_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(written_by=None, written_with__isnull=False) | Q(written_by__isnull=False, written_with=None),
                name="%(class)s_written_by_one",
            ),
        ]


class VersionProposal(InsertOnly):
    """A proposal to use a version."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["id", "version", "proposed_by"], name="%(class)s_has_one_proposer"),
        ]


class VersionDecision(InsertOnly):
    """The decision on a proposal to use a version. Nobody approves one alone.

    ``version`` and ``proposed_by`` repeat those of the proposal, held equal by a foreign key, for the constraints.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=ProposalOutcome)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=ProposalOutcome.WITHDRAWN, decided_by=F("proposed_by"))
                | Q(outcome__in=[ProposalOutcome.APPROVED, ProposalOutcome.DECLINED]) & ~Q(decided_by=F("proposed_by")),
                name="%(class)s_takes_two",
            ),
        ]


class Schema(Version):
    """An organisation's registry of fields. It attributes turns that name its version once it is approved.

    ``name`` is the engine's, a digest of the content in canonical form: the same content is stored once. ``document`` is JSON with the keys
    in the order in which they were uploaded.
    """

    version = models.CharField(max_length=200)
    name = models.CharField(max_length=40)
    section_count = models.IntegerField()
    field_count = models.IntegerField()

    class Meta:
        constraints: ClassVar = [
            *Version.Meta.constraints,
            models.UniqueConstraint(fields=["organisation", "name"], name="one_schema_a_content"),
            models.UniqueConstraint(fields=["id", "organisation", "version"], name="schema_with_its_version"),
            models.CheckConstraint(condition=~Q(version=""), name="schema_has_a_version"),
        ]


class SchemaProposal(VersionProposal):
    """A proposal to use a schema."""

    version = models.ForeignKey(Schema, on_delete=models.PROTECT, related_name="proposals")


class SchemaDecision(VersionDecision):
    """The decision on a proposal to use a schema. A version is approved once; ``schema_version`` repeats its name for the constraints."""

    proposal = models.OneToOneField(SchemaProposal, on_delete=models.PROTECT, related_name="decision")
    version = models.ForeignKey(Schema, on_delete=models.PROTECT, related_name="decisions")
    schema_version = models.CharField(max_length=200)

    class Meta:
        constraints: ClassVar = [
            *VersionDecision.Meta.constraints,
            models.UniqueConstraint(
                fields=["organisation", "schema_version"],
                condition=Q(outcome=ProposalOutcome.APPROVED),
                name="schema_version_approved_once",
            ),
        ]


class TrustTable(Version):
    """An organisation's own table of trust. It is asked before the shipped one while it is the last one approved.

    ``number`` counts those of the organisation from 1. The same text is stored once.
    """

    number = models.IntegerField()
    rule_count = models.IntegerField()

    class Meta:
        constraints: ClassVar = [
            *Version.Meta.constraints,
            models.UniqueConstraint(fields=["organisation", "number"], name="one_trust_table_a_number"),
            models.UniqueConstraint(fields=["organisation", "digest"], name="one_trust_table_a_text"),
            models.UniqueConstraint(fields=["id", "organisation"], name="trust_table_with_its_organisation"),
            models.CheckConstraint(condition=Q(number__gt=0, rule_count__gte=0), name="trust_table_counted"),
        ]


class TrustProposal(VersionProposal):
    """A proposal to use a table of trust instead of ``base``, the one in use then; null for the shipped one alone."""

    version = models.ForeignKey(TrustTable, on_delete=models.PROTECT, related_name="proposals")
    base = models.ForeignKey(TrustTable, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        constraints: ClassVar = [
            *VersionProposal.Meta.constraints,
            models.CheckConstraint(condition=Q(base=None) | ~Q(base=F("version")), name="trust_proposal_changes_something"),
        ]


class TrustDecision(VersionDecision):
    """The decision on a proposal to use a table of trust."""

    proposal = models.OneToOneField(TrustProposal, on_delete=models.PROTECT, related_name="decision")
    version = models.ForeignKey(TrustTable, on_delete=models.PROTECT, related_name="decisions")

    class Meta:
        constraints: ClassVar = [*VersionDecision.Meta.constraints]
        indexes: ClassVar = [
            models.Index(fields=["organisation", "-decided_at", "-id"], name="trust_in_use", condition=Q(outcome=ProposalOutcome.APPROVED)),
        ]


class Snapshot(InsertOnly):
    """A turn frozen with what the model saw.

    ``record`` is the input byte for byte, and ``digest`` its SHA-256. ``content_digest`` is that of its canonical form, equal for equal
    contents however they are written, so that a record can be sent again. ``search`` indexes the words of the user's text, the answer and
    the names: id, conversation, client, provider, model, prompt and schema version.

    ``instruction_reported`` is the runtime's statement about the citation instruction, ``instruction_switch`` the organisation's switch at
    the time. ``given_sections`` are the sections of the context of which the model was shown anything; it is null in older rows.

    ``schema`` is the approved schema that its attributions use; null where the shipped registry of fields is used. ``provider`` is that of
    the record, or else the name in the field of its context that the registry names for it.
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
    schema = models.ForeignKey(Schema, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
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
        indexes: ClassVar = [
            GinIndex(F("search"), name="snapshot_search"),
            models.Index(
                fields=["organisation", "conversation_id", "answered_at", "id"],
                name="snapshot_by_conversation",
                condition=~Q(conversation_id=""),
            ),
        ]


class SnapshotAttribution(InsertOnly):
    """The engine's attribution of a snapshot under a profile: one for each profile and engine version.

    ``document`` is canonical JSON, compressed; ``digest`` is the SHA-256 of it before compression. The other columns repeat what lists and
    filters need. ``below_count`` are the found fields whose confidence lies below the cut-off of the profile; none while there are only
    scores.
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
    below_count = models.IntegerField(default=0, db_default=0)

    redactable = ("document", "digest", "source", "guardrails", "sections", "found_count", "cited_count", "below_count")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["snapshot", "profile", "engine_version"], name="one_attribution_a_profile"),
        ]


CITATION_COUNTS = ("citations", "quotes", "opposed", "unquoted", "unsupported", "well_sourced", "sentences")
"""The counts of the citations of an answer: all that name a source, those with a quote, those that failed each check; 1 if its top three
sources are of tier 1 or 2; and its sentences."""


class SnapshotDocuments(InsertOnly):
    """The attribution of an answer's citations to documents, beside its attribution to fields; missing if the record has no documents.

    ``document`` is canonical JSON, compressed; ``digest`` is the SHA-256 of it before compression. The other columns repeat what lists and
    summaries need: the number of sources and of cited ones, ``issues`` by code, and the model's own citations as ``CITATION_COUNTS``.
    ``policy`` holds the organisation's switches at the time; ``repaired_count`` sources were attached by a repair. ``is_withheld`` is True
    if the assistant withheld its answer, and null in older rows. ``trust_table`` is the organisation's own table of trust that was in use;
    null where there was none.
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
    trust_table = models.ForeignKey(TrustTable, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    repaired_count = models.IntegerField(default=0)
    citation_counts = ArrayField(models.IntegerField(), default=list)
    is_withheld = models.BooleanField(null=True)

    redactable = (
        *("document", "digest", "issues", "validity", "trust", "source_count", "cited_count", "repaired_count", "citation_counts"),
        "is_withheld",
    )


class SearchOutcome(models.TextChoices):
    """The outcomes of a search for citations. A skipped one had nothing to search, or nothing to search in."""

    FOUND = "found", "Found"
    NOTHING = "nothing", "Nothing found"
    FAILED = "failed", "Failed"
    SKIPPED = "skipped", "Skipped"


class CitationSearch(InsertOnly):
    """A search for citations in an answer without any, pending until it has a result.

    ``number`` counts the searches of an attribution, from 1. ``method`` is one of the engine's search methods.
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
    """The one result of a search, however often it was tried.

    ``document`` is canonical JSON, compressed, and ``digest`` the SHA-256 of it before compression; both are set if the search completed.
    Otherwise ``reason`` says why, without a word of the answer or its sources.
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


class JudgedVerdict(models.TextChoices):
    """A model's judgement on a citation. The values are those of reviewers' labels."""

    SUPPORTS = "supports", "supports"
    CONTRADICTS = "contradicts", "contradicts"
    DOES_NOT_SAY = "does_not_say", "does not say"


class SupportOutcome(models.TextChoices):
    """The outcomes of a request to have an answer's citations judged. A skipped one was not sent, or not to its end."""

    JUDGED = "judged", "Judged"
    FAILED = "failed", "Failed"
    SKIPPED = "skipped", "Skipped"


class SupportRequest(InsertOnly):
    """A request to have the citations of an answer judged by a model, pending until it has a result.

    ``number`` counts the requests of an attribution, from 1.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    attribution = models.ForeignKey(SnapshotAttribution, on_delete=models.PROTECT, related_name="support_requests", db_index=False)
    number = models.SmallIntegerField()
    asked_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["attribution", "number"], name="one_support_request_a_number"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "asked_at"], name="support_request_by_time")]


class SupportJudgement(InsertOnly):
    """A model's judgement on one citation, which is identified like in a label. ``number`` counts those of the answer.

    ``sentence_start`` and ``sentence_end`` are the place of the sentence that it rests on, in the text of the source; no word of the reply
    is stored. Without a verdict ``reason`` says why the reply did not count, or ``redacted``. ``question`` is the version of the question,
    and ``question_digest`` names all that it was asked: the same question is not sent again, and its judgement is repeated with
    ``requests`` 0. Tokens are as the endpoint counts them.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    request = models.ForeignKey(SupportRequest, on_delete=models.PROTECT, related_name="judgements", db_index=False)
    number = models.IntegerField()
    source = models.TextField()
    is_own = models.BooleanField()
    start = models.IntegerField()
    end = models.IntegerField()
    repeat = models.IntegerField(default=0)
    verdict = models.CharField(max_length=16, choices=JudgedVerdict, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    sentence_start = models.IntegerField(null=True)
    sentence_end = models.IntegerField(null=True)
    model = models.CharField(max_length=200)
    question = models.CharField(max_length=20)
    question_digest = models.BinaryField(max_length=32, null=True)
    requests = models.SmallIntegerField()
    tokens_in = models.IntegerField()
    tokens_out = models.IntegerField()
    judged_at = models.DateTimeField()

    redactable = ("verdict", "reason", "sentence_start", "sentence_end", "question_digest")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["request", "number"], name="one_judgement_a_citation"),
            models.CheckConstraint(
                condition=Q(verdict__in=JudgedVerdict.values, reason="") | Q(verdict="") & ~Q(reason=""), name="judged_or_why_not"
            ),
            models.CheckConstraint(
                condition=Q(sentence_start=None, sentence_end=None, verdict__in=["", JudgedVerdict.DOES_NOT_SAY])
                | Q(sentence_start__gte=0, sentence_end__isnull=False, sentence_end__gt=F("sentence_start")) & ~Q(verdict=""),
                name="judged_by_a_sentence",
            ),
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="judged_from_and_to"),
            models.CheckConstraint(condition=Q(requests__gte=0, tokens_in__gte=0, tokens_out__gte=0), name="judgement_cost_counted"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organisation", "question_digest"], name="judgement_by_question", condition=Q(question_digest__isnull=False)
            ),
            models.Index(fields=["organisation", "judged_at"], name="judgement_by_time", include=["requests"]),
        ]


class SupportResult(InsertOnly):
    """The end of a request: all of its citations were judged, or ``reason`` says why not, without a word of the answer."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    request = models.OneToOneField(SupportRequest, on_delete=models.PROTECT, related_name="result")
    outcome = models.CharField(max_length=10, choices=SupportOutcome)
    reason = models.CharField(max_length=500, blank=True)
    attempts = models.SmallIntegerField()
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=SupportOutcome.JUDGED, reason="")
                | Q(outcome__in=[SupportOutcome.FAILED, SupportOutcome.SKIPPED]) & ~Q(reason=""),
                name="support_judged_or_why_not",
            ),
        ]


class TraceState(models.TextChoices):
    """The states of a trace. One that became no snapshot waits again if an answer comes later."""

    WAITING = "waiting", "Waiting for spans"
    FROZEN = "frozen", "A snapshot"
    NO_TURN = "no_turn", "No turn"
    REFUSED = "refused", "Refused"


class Trace(Identified):
    """A trace that came over OTLP, while it waits for its spans and afterwards. It holds no value of a span.

    ``key`` sent its first spans. ``span_ids`` has 8 bytes for each span and the key that sent it, so that one that the same key sends again
    is recognised.
    ``size`` is that of the spans that wait. ``outline`` has the names of spans and attributes; ``origins`` names the attribute that each
    part of the record came from. ``late_count`` spans came after the end.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    key = models.ForeignKey(ServiceKey, on_delete=models.PROTECT, related_name="+", db_index=False)
    trace_id = models.CharField(max_length=32)
    state = models.CharField(max_length=10, choices=TraceState, default=TraceState.WAITING)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    has_root = models.BooleanField(default=False)
    span_ids = models.BinaryField(default=b"")
    span_count = models.IntegerField(default=0)
    size = models.IntegerField(default=0)
    late_count = models.IntegerField(default=0)
    service = models.CharField(max_length=100, blank=True)
    outline = models.JSONField(default=list)
    origins = models.JSONField(default=dict)
    findings = models.JSONField(default=list)
    unread = models.JSONField(default=list)
    reason = models.CharField(max_length=500, blank=True)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, null=True, related_name="traces")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "trace_id"], name="one_row_a_trace"),
            models.CheckConstraint(
                condition=Q(state="waiting", ended_at=None) | ~Q(state="waiting") & Q(ended_at__isnull=False), name="trace_ended_or_waiting"
            ),
            models.CheckConstraint(
                condition=Q(state="frozen", snapshot__isnull=False) | ~Q(state="frozen") & Q(snapshot=None), name="trace_frozen_as_snapshot"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organisation", "-first_at"], name="trace_newest"),
            models.Index(fields=["organisation", "key"], name="trace_waiting", condition=Q(state="waiting"), include=["size"]),
        ]


class WaitingSpans(Identified):
    """Spans of a trace that came in one request with a key, as an export request in protobuf, until the trace ends."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    key = models.ForeignKey(ServiceKey, on_delete=models.PROTECT, related_name="+", db_index=False)
    trace = models.ForeignKey(Trace, on_delete=models.PROTECT, related_name="waiting")
    content = models.BinaryField()
