"""Sources from what tools returned: a registry of name patterns, the first that fits decides."""

from __future__ import annotations

from attribution.documents.extractors.call import ToolCall, read_call
from attribution.documents.extractors.registry import DEFAULT_EXTRACTORS, Extractor, Extractors

__all__ = ["DEFAULT_EXTRACTORS", "Extractor", "Extractors", "ToolCall", "read_call"]
