"""What can be cited: documents and chunks that a model was given, results of tools."""

from __future__ import annotations

from typing import NamedTuple

from attribution.model import Word


class SourceKind(Word):
    """Where a source comes from: given to the model, or found by a tool of this kind."""

    DOCUMENT = "document"
    WEB = "web"
    FILE = "file"
    API = "api"
    MCP = "mcp"
    OTHER = "other"


class CitableSource(NamedTuple):
    """Something an answer can cite: a document or chunk that the model was given, or one result of a tool.

    ``id`` is unique in a turn: ``doc-1`` for the first document, ``<request>-1`` for the first result of a tool call.
    ``published_at`` is as given. ``page`` counts from 1. ``score`` is that of the retriever, in its own unit.
    """

    id: str
    kind: SourceKind
    source_id: str = ""
    chunk_id: str = ""
    namespace: str = ""
    title: str = ""
    uri: str = ""
    path: str = ""
    domain: str = ""
    origin: str = ""
    published_at: str = ""
    snippet: str = ""
    content: str = ""
    page: int | None = None
    score: float | None = None
    tool: str = ""
    request: str = ""
