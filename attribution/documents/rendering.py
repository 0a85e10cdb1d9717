"""Shows sources to a model: numbered or keyed, their texts indented so that none of them can pass for another's heading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attribution.documents.citation import Grammar
from attribution.documents.reading import own_numbers, read_documents
from attribution.documents.source import CitableSource

_FEWEST_CHARS = 80
_LONGEST_NAME = 200
_CUT = " …"


def render_sources(
    documents: Sequence[Any], *, title: str = "Sources", max_chars: int | None = None, grammar: Grammar = Grammar.NUMBERED
) -> str:
    """The documents as a part of a prompt, in their order, under ``title``.

    Where ``max_chars`` code points are too few for all, every document keeps its heading and the texts share what is left: short ones
    stay whole, long ones are cut between words. The headings alone may be longer than ``max_chars``.
    """
    sources = read_documents(documents)
    return render(sources, list(own_numbers(sources)) or None, title=title, max_chars=max_chars, grammar=grammar)


def render(
    sources: Sequence[CitableSource], numbers: Sequence[int] | None = None, *, title: str, max_chars: int | None, grammar: Grammar
) -> str:
    """The same for sources that have been read, under these ``numbers`` or, without any, their places."""
    named = zip(numbers or range(1, len(sources) + 1), sources, strict=True)
    heads = [_heading(number, source, grammar) for number, source in named]
    texts = [_indented(source.content or source.snippet) for source in sources]
    if max_chars is not None:
        room = max_chars - len(title) - sum([len(head) + 3 for head in heads])
        texts = [_cut(text, share) for text, share in zip(texts, shares([len(text) for text in texts], room), strict=True)]
    shown = [f"{head}\n{text}" if text else head for head, text in zip(heads, texts, strict=True)]
    return "\n\n".join([title, *shown]) if shown else f"{title}\n\nNone."


def key_of(source: CitableSource) -> str:
    """Return how a keyed citation names a source: document and chunk, the colon only between the two."""
    name = (source.source_id or source.id).replace(":", "_")
    return f"{name}:{source.chunk_id}" if source.chunk_id else name


def _heading(place: int, source: CitableSource, grammar: Grammar) -> str:
    mark = f"[citation:{key_of(source)}]" if grammar is Grammar.KEYED else f"[{place}]"
    ids = [f"source id {source.source_id}", f"chunk id {source.chunk_id}"] if grammar in (Grammar.STRUCTURED, Grammar.CLAIMS) else []
    shown = [part for part in (source.title or source.path, source.origin, source.published_at, source.uri) if part]
    named = [part for part in ids if not part.endswith("id ")]
    return " ".join(f"{mark} {' · '.join([*shown, *named])}".split())[:_LONGEST_NAME].rstrip()


def _indented(text: str) -> str:
    return "\n".join(["    " + line for line in text.splitlines()]) if text.strip() else ""


def shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return how much of each text fits: the shortest are served first, so that what they leave goes to the longer ones."""
    given = [0] * len(lengths)
    left = max(0, room)
    for served, place in enumerate(sorted(range(len(lengths)), key=lambda place: lengths[place])):
        given[place] = min(lengths[place], left // (len(lengths) - served))
        left -= given[place]
    return given


def _cut(text: str, share: int) -> str:
    if len(text) <= share:
        return text
    if share < _FEWEST_CHARS:
        return ""
    return text[: share - len(_CUT)].rpartition(" ")[0].rstrip() + _CUT
