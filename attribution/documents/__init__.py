"""Answers that cite documents: every grammar read, every citation looked up in what the model was given."""

from __future__ import annotations

from attribution.documents.codec import decode_documents, encode_documents
from attribution.documents.grammars.marked_text import find_near_misses
from attribution.documents.grounding import Grounding, Injection, Retriever, document_instruction, render_sources
from attribution.documents.model_question import REPLY_SCHEMA, ModelQuestion, question_for_model
from attribution.documents.model_reply import MalformedReply, find_in_reply, read_completion
from attribution.documents.pipeline import attribute_documents
from attribution.documents.policy import CitationPolicy, QuotePolicy
from attribution.documents.post_hoc import (
    FoundCitations,
    FoundReference,
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
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustLevel, TrustRegistry, read_trust
from attribution.documents.turn import Given, read_given
from attribution.documents.validity import Colour, Validity

__all__ = [
    "DEFAULT_EXTRACTORS",
    "REPLY_SCHEMA",
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
    "MalformedReply",
    "ModelQuestion",
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
    "SearchWay",
    "SourceKind",
    "SourceTrust",
    "Target",
    "ToolCall",
    "TrustLevel",
    "TrustRegistry",
    "Validity",
    "attribute_documents",
    "coverage_report",
    "decode_documents",
    "decode_search",
    "document_instruction",
    "encode_documents",
    "encode_search",
    "find_in_reply",
    "find_near_misses",
    "is_code_only",
    "question_for_model",
    "read_completion",
    "read_given",
    "read_trust",
    "render_sources",
    "search_by_words",
]
