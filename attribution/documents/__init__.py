"""Answers that cite documents: every grammar read, every citation looked up in what the model was given."""

from __future__ import annotations

from attribution.documents.attributing import attribute_documents
from attribution.documents.citation import Grammar
from attribution.documents.codec import decode_documents, encode_documents
from attribution.documents.coverage import CoverageReport, coverage_report
from attribution.documents.extractors import DEFAULT_EXTRACTORS, Extractor, Extractors, ToolCall
from attribution.documents.grounding import Grounding, Injection, Retriever
from attribution.documents.instructions import document_instruction
from attribution.documents.model import Issue, IssueCode, Reference, ReferenceCheck, ReferenceStatus, Target
from attribution.documents.policy import CitationPolicy, QuotePolicy
from attribution.documents.removal import FieldSpans
from attribution.documents.rendering import render_sources
from attribution.documents.result import Claim, DocumentAttribution
from attribution.documents.source import CitableSource, SourceKind
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustLevel
from attribution.documents.validity import Colour, Validity

__all__ = [
    "DEFAULT_EXTRACTORS",
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
    "Grammar",
    "Grounding",
    "Injection",
    "Issue",
    "IssueCode",
    "QuotePolicy",
    "Reference",
    "ReferenceCheck",
    "ReferenceStatus",
    "Retriever",
    "SourceKind",
    "SourceTrust",
    "Target",
    "ToolCall",
    "TrustLevel",
    "Validity",
    "attribute_documents",
    "coverage_report",
    "decode_documents",
    "document_instruction",
    "encode_documents",
    "render_sources",
]
