"""Reads the documents of a snapshot into sources. Their places count, so each gives one, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from attribution.documents import keys
from attribution.documents.source import CitableSource, SourceKind
from attribution.documents.uri import site_of

_OWN_NUMBER = re.compile("[1-9][0-9]?")


def read_documents(documents: Sequence[Any]) -> list[CitableSource]:
    """One source for each document, in their order, called ``doc-1`` and so on. A plain text is a document without a name."""
    return [_document(place, value) for place, value in enumerate(documents, start=1)]


def _document(place: int, value: Any) -> CitableSource:
    name = f"doc-{place}"
    if isinstance(value, str):
        return CitableSource(name, SourceKind.DOCUMENT, content=value)
    found = keys.mapping(value)
    nested = keys.mapping(found.get("metadata"))
    merged = {**nested, **found} if nested else found
    uri = keys.text(merged, "url", "uri", "link", "href")
    return CitableSource(
        id=name,
        kind=SourceKind.DOCUMENT,
        source_id=keys.text(merged, "source_id", "document_id", "doc_id", "id"),
        chunk_id=keys.text(merged, "chunk_id", "chunk"),
        namespace=keys.text(merged, "namespace", "collection"),
        title=keys.text(merged, "title", "name", "filename"),
        uri=uri,
        path=keys.text(merged, "path", "file_path"),
        domain=site_of(uri),
        origin=keys.text(merged, "source", "publisher"),
        published_at=keys.text(merged, "published_at", "published", "date"),
        snippet=keys.text(merged, "snippet", "summary"),
        content=content_of(merged),
        page=keys.whole(merged, "page", "page_number"),
        score=keys.number(merged, "score", "retrieval_score", "similarity", "relevance_score"),
    )


def own_numbers(sources: Sequence[CitableSource]) -> dict[int, CitableSource]:
    """The sources by their own numbers, where all have one and these are not their places: a model reads what it was shown."""
    numbers = {int(source.source_id): source for source in sources if _OWN_NUMBER.fullmatch(source.source_id) and not source.chunk_id}
    return numbers if len(numbers) == len(sources) and list(numbers) != list(range(1, len(sources) + 1)) else {}


def content_of(found: keys.Object) -> str:
    """The text of a document or result: one text, or parts that each have one."""
    for name in ("content", "text", "page_content", "body", "chunk_text", "snippet", "data"):
        value = keys.first(found, name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            parts = [part if isinstance(part, str) else keys.text(keys.mapping(part), "text", "content") for part in value]
            return "\n".join([part for part in parts if part])
        if isinstance(value, dict):
            inner = keys.text(value, "text", "content", "snippet", "data")
            if inner:
                return inner
    return ""
