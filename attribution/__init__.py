"""Attribution of an assistant's answer to the named fields of the context it was given.

``attribute()`` is the front door. Everything exported here is the public interface; modules are not. The package needs the
standard library only, reads no clock, no network and no environment, and gives the same result for the same arguments.
"""

from __future__ import annotations

from attribution.codec import canonical_bytes, decode, digest, encode
from attribution.context import context_values
from attribution.documents import (
    DEFAULT_EXTRACTORS,
    CitableSource,
    CitationPolicy,
    Claim,
    CoverageReport,
    DocumentAttribution,
    Extractor,
    Extractors,
    Grammar,
    Grounding,
    Injection,
    Issue,
    IssueCode,
    QuotePolicy,
    Reference,
    ReferenceStatus,
    Retriever,
    SourceKind,
    Target,
    ToolCall,
    attribute_documents,
    coverage_report,
    decode_documents,
    document_instruction,
    encode_documents,
    render_sources,
)
from attribution.engine import DEFAULT_PROFILE, attribute
from attribution.errors import AttributionError, InputError, ProfileError
from attribution.markers import Stripper, strip
from attribution.model import (
    Attribution,
    Contradiction,
    Evidence,
    Field,
    FieldAttribution,
    FieldType,
    Finding,
    GuardrailCode,
    Marker,
    MarkerStatus,
    Source,
    Span,
    Track,
)
from attribution.profile import Profile, read_profile
from attribution.prompting import citation_instruction, strip_history
from attribution.strict_json import read_json
from attribution.text import fold_words
from attribution.version import ENGINE_VERSION

__all__ = [
    "DEFAULT_EXTRACTORS",
    "DEFAULT_PROFILE",
    "ENGINE_VERSION",
    "Attribution",
    "AttributionError",
    "CitableSource",
    "CitationPolicy",
    "Claim",
    "Contradiction",
    "CoverageReport",
    "DocumentAttribution",
    "Evidence",
    "Extractor",
    "Extractors",
    "Field",
    "FieldAttribution",
    "FieldType",
    "Finding",
    "Grammar",
    "Grounding",
    "GuardrailCode",
    "Injection",
    "InputError",
    "Issue",
    "IssueCode",
    "Marker",
    "MarkerStatus",
    "Profile",
    "ProfileError",
    "QuotePolicy",
    "Reference",
    "ReferenceStatus",
    "Retriever",
    "Source",
    "SourceKind",
    "Span",
    "Stripper",
    "Target",
    "ToolCall",
    "Track",
    "attribute",
    "attribute_documents",
    "canonical_bytes",
    "citation_instruction",
    "context_values",
    "coverage_report",
    "decode",
    "decode_documents",
    "digest",
    "document_instruction",
    "encode",
    "encode_documents",
    "fold_words",
    "read_json",
    "read_profile",
    "render_sources",
    "strip",
    "strip_history",
]
