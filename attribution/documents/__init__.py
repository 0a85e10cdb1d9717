"""Answers that cite documents: every grammar read, every citation looked up in what the model was given."""

from __future__ import annotations

from attribution.documents.codec import decode_documents, encode_documents
from attribution.documents.grammars.marked_text import find_near_misses
from attribution.documents.grammars.streamed import AnswerStream
from attribution.documents.grounding import Grounding, Injection, Retriever, document_instruction, render_sources
from attribution.documents.judged_support import (
    LONGEST_CLAIM,
    SUPPORT_QUESTION,
    SUPPORT_SCHEMA,
    JudgedAs,
    JudgedSupport,
    SupportQuestion,
    SupportRefusal,
    question_of_support,
    read_support,
)
from attribution.documents.model_question import REPLY_SCHEMA, ModelQuestion, question_for_model
from attribution.documents.model_reply import MalformedReply, Usage, find_in_reply, read_completion, read_usage
from attribution.documents.pipeline import attribute_documents
from attribution.documents.policy import CitationPolicy, QuotePolicy, SearchUnit
from attribution.documents.post_hoc import (
    FoundCitations,
    FoundReference,
    NoUsableReply,
    RefusalReason,
    RefusedCitation,
    SearchFailed,
    SearchMethod,
    SearchRecord,
    SearchWay,
    decode_search,
    encode_search,
    is_code_only,
    search_by_words,
)
from attribution.documents.references import Grammar, Issue, IssueCode, Reference, ReferenceCheck, ReferenceStatus, Target
from attribution.documents.removal import FieldSpans
from attribution.documents.result import Claim, CoverageReport, DocumentAttribution, coverage_report
from attribution.documents.sources import CitableSource, SourceKind
from attribution.documents.tools import DEFAULT_EXTRACTORS, Extractor, Extractors, ToolCall
from attribution.documents.trust import (
    AnswerTrust,
    SourceTrust,
    Tier,
    TrustLevel,
    TrustRegistry,
    default_trust,
    read_trust,
    trust_in_source,
)
from attribution.documents.trust_table import (
    LARGEST_TABLE,
    MOST_RULES,
    TrustRule,
    TrustTable,
    lines_of_table,
    read_trust_table,
    with_own_table,
)
from attribution.documents.turn import Given, read_given
from attribution.documents.validity import Colour, Validity

__all__ = [
    "DEFAULT_EXTRACTORS",
    "LARGEST_TABLE",
    "LONGEST_CLAIM",
    "MOST_RULES",
    "REPLY_SCHEMA",
    "SUPPORT_QUESTION",
    "SUPPORT_SCHEMA",
    "AnswerStream",
    "AnswerTrust",
    "CitableSource",
    "CitationPolicy",
    "Claim",
    "Colour",
    "CoverageReport",
    "DocumentAttribution",
    "Extractor",
    "Extractors",
    "FieldSpans",
    "FoundCitations",
    "FoundReference",
    "Given",
    "Grammar",
    "Grounding",
    "Injection",
    "Issue",
    "IssueCode",
    "JudgedAs",
    "JudgedSupport",
    "MalformedReply",
    "ModelQuestion",
    "NoUsableReply",
    "QuotePolicy",
    "Reference",
    "ReferenceCheck",
    "ReferenceStatus",
    "RefusalReason",
    "RefusedCitation",
    "Retriever",
    "SearchFailed",
    "SearchMethod",
    "SearchRecord",
    "SearchUnit",
    "SearchWay",
    "SourceKind",
    "SourceTrust",
    "SupportQuestion",
    "SupportRefusal",
    "Target",
    "Tier",
    "ToolCall",
    "TrustLevel",
    "TrustRegistry",
    "TrustRule",
    "TrustTable",
    "Usage",
    "Validity",
    "attribute_documents",
    "coverage_report",
    "decode_documents",
    "decode_search",
    "default_trust",
    "document_instruction",
    "encode_documents",
    "encode_search",
    "find_in_reply",
    "find_near_misses",
    "is_code_only",
    "lines_of_table",
    "question_for_model",
    "question_of_support",
    "read_completion",
    "read_given",
    "read_support",
    "read_trust",
    "read_trust_table",
    "read_usage",
    "render_sources",
    "search_by_words",
    "trust_in_source",
    "with_own_table",
]
