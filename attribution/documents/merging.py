"""Brings the sources of a turn together: those that are the same once, each with an id of its own."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.documents.source import CitableSource
from attribution.documents.uri import same_page


def with_own_ids(sources: Sequence[CitableSource], documents: Sequence[CitableSource]) -> list[CitableSource]:
    """The sources with ids that differ: two calls may have come under one name."""
    seen = {source.id for source in documents}
    different: list[CitableSource] = []
    for source in sources:
        name, again = source.id, 1
        while name in seen:
            again += 1
            name = f"{source.id}.{again}"
        seen.add(name)
        different.append(source if name == source.id else source._replace(id=name))
    return different


def without_known(carried: Sequence[CitableSource], known: Sequence[CitableSource]) -> list[CitableSource]:
    """The sources that are not among the known ones by address, by id, or where both have no address by title; each once."""
    seen = {("uri", same_page(source.uri)) for source in known if source.uri}
    seen |= {("id", source.source_id) for source in known if source.source_id}
    seen |= {("title", folded_title(source.title)) for source in known if source.title}
    kept: list[CitableSource] = []
    for source in carried:
        names = [("uri", same_page(source.uri))] if source.uri else [("title", folded_title(source.title))] if source.title else []
        names += [("id", source.source_id)] if source.source_id else []
        if seen.isdisjoint(names):
            kept.append(source)
            seen.update(names)
    return kept


def folded_title(title: str) -> str:
    """A title as it is compared."""
    return " ".join(title.casefold().split())
