"""OpenAI's Responses: output items, with annotations at their texts and the results of its own searches."""

from __future__ import annotations

from attribution.documents import keys
from attribution.documents.native.annotations import Annotations
from attribution.documents.native.reading import MOST_READ, NativeAnswer, source
from attribution.documents.source import CitableSource, SourceKind


def read_openai_responses(response: keys.Object) -> NativeAnswer | None:
    """A response with output items."""
    outputs = [keys.mapping(item) for item in keys.items(response.get("output"))]
    if not outputs:
        return None
    annotations = Annotations()
    texts: list[str] = []
    sources: list[CitableSource] = []
    length = 0
    for output in outputs:
        sources += _results(output)
        for part in [keys.mapping(each) for each in keys.items(output.get("content"))]:
            if part.get("type") == "output_text":
                text = keys.text(part, "text")
                annotations.read(keys.items(part.get("annotations")), text, length)
                texts.append(text)
                length += len(text)
    return NativeAnswer("".join(texts), annotations.citations, [*sources, *annotations.sources.values()], annotations.misplaced)


def _results(output: keys.Object) -> list[CitableSource]:
    """Return what a search of the provider found."""
    kind = keys.text(output, "type")
    request = keys.text(output, "id") or kind
    if kind == "file_search_call":
        found = [keys.mapping(each) for each in keys.items(output.get("results"))[:MOST_READ]]
        return [source(f"{request}-{n}", SourceKind.FILE, each, "file_search", keys.text(each, "text")) for n, each in enumerate(found, 1)]
    if kind == "web_search_call":
        listed = keys.items(keys.mapping(output.get("action")).get("sources"))
        found = [keys.mapping(each) for each in listed[:MOST_READ]]
        return [source(f"{request}-{n}", SourceKind.WEB, each, "web_search") for n, each in enumerate(found, 1) if each.get("url")]
    return []
