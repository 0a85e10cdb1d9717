"""Sources: documents and chunks that a model was given, results of tools, and the addresses they are named by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from attribution import lenient_json
from attribution.model import Word
from attribution.remembering import remembered


class SourceKind(Word):
    """The origin of a source: given to the model, or found by a tool of this kind."""

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


_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PORT = re.compile(r":\d{0,5}\Z", re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_UNWANTED = re.compile(r"[\x00-\x20\x7f%<>^`{|}]")
_TWO_READINGS = frozenset("ßẞς\u200c\u200d")
"""Letters that the older rules write otherwise (``ß`` as ``ss``) and browsers keep: the host they lead to is another one."""
_LONGEST_HOST = 253
_LONGEST_LABEL = 63
_LEFT_OUT = re.compile("[\u00ad\u034f\u1806\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
"""Letters that no ASCII form has."""
_DOTS = re.compile("[.\u3002\uff0e\uff61]")


def host_of(address: str) -> str | None:
    """The host in lower case and without port and final dot, an international one in its ASCII form; none for what is no web address."""
    authority = _authority(address.strip().replace("\\", "/"))
    if authority is None:
        return None
    host = _PORT.sub("", authority.rpartition("@")[2])
    if not host or len(host) > _LONGEST_HOST or _UNWANTED.search(host):
        return None
    return _checked(_in_ascii(host))


def _authority(address: str) -> str | None:
    """Return what stands between the scheme and the path. An address may come without a scheme, but not with another one than the web's."""
    scheme = _SCHEME.match(address)
    if scheme and address.startswith("//", scheme.end()):
        if scheme[1].lower() not in ("http", "https"):
            return None
        address = address[scheme.end() :]
    elif scheme and not address[scheme.end() : scheme.end() + 1].isdecimal():
        return None
    return re.split(r"[/?#]", address.removeprefix("//"), maxsplit=1)[0]


def _in_ascii(host: str) -> str:
    """As it is asked for; empty where it cannot be, or where it is not certain how."""
    return host.lower() if host.isascii() else _international(host)


def _written_in_ascii(host: str) -> str:
    if not _TWO_READINGS.isdisjoint(host) or any(map(_is_too_long, _DOTS.split(host))):
        return ""
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


_international = remembered(_written_in_ascii, most=4_096, longest=_LONGEST_HOST)


def _is_too_long(label: str) -> bool:
    """Return True for a label that has more letters than its ASCII form may have: to write that out takes the square of its length."""
    written = normalize("NFKC", label)
    return len(written) > _LONGEST_LABEL and len(_LEFT_OUT.sub("", written)) > _LONGEST_LABEL


def _checked(host: str) -> str | None:
    """A name of two labels or more; no number, for that is an address without a name."""
    labels = host.removesuffix(".").split(".")
    if len(labels) < 2 or labels[-1].isdecimal() or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return ".".join(labels)


_LONGEST = 4_096


def site_of(uri: str) -> str:
    """Return what a reader calls the site of an address: its host without ``www.``; empty where there is none."""
    return (host_of(uri[:_LONGEST]) or "").removeprefix("www.") if uri else ""


def same_page(uri: str) -> str:
    """An address as it is compared: without scheme, ``www.``, fragment, tracking marks and a closing slash."""
    plain = re.sub(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", "", uri.strip()[:_LONGEST], flags=re.IGNORECASE).partition("#")[0]
    page, mark, query = plain.partition("?")
    host, slash, path = page.partition("/")
    kept = "&".join([part for part in query.split("&") if part and not part.lower().startswith("utm_")]) if mark else ""
    return host.lower() + (slash + path).rstrip("/") + ("?" + kept if kept else "")


_OWN_NUMBER = re.compile("[1-9][0-9]?")


def read_documents(documents: Sequence[Any]) -> list[CitableSource]:
    """One source for each document, in their order, called ``doc-1`` and so on. A plain text is a document without a name."""
    return [_document(place, value) for place, value in enumerate(documents, start=1)]


def _document(place: int, value: Any) -> CitableSource:
    name = f"doc-{place}"
    if isinstance(value, str):
        return CitableSource(name, SourceKind.DOCUMENT, content=value)
    found = lenient_json.mapping(value)
    nested = lenient_json.mapping(found.get("metadata"))
    merged = {**nested, **found} if nested else found
    uri = lenient_json.text(merged, "url", "uri", "link", "href")
    return CitableSource(
        id=name,
        kind=SourceKind.DOCUMENT,
        source_id=lenient_json.text(merged, "source_id", "document_id", "doc_id", "id"),
        chunk_id=lenient_json.text(merged, "chunk_id", "chunk"),
        namespace=lenient_json.text(merged, "namespace", "collection"),
        title=lenient_json.text(merged, "title", "name", "filename"),
        uri=uri,
        path=lenient_json.text(merged, "path", "file_path"),
        domain=site_of(uri),
        origin=lenient_json.text(merged, "source", "publisher"),
        published_at=lenient_json.text(merged, "published_at", "published", "date"),
        snippet=lenient_json.text(merged, "snippet", "summary"),
        content=content_of(merged),
        page=lenient_json.whole(merged, "page", "page_number"),
        score=lenient_json.number(merged, "score", "retrieval_score", "similarity", "relevance_score"),
    )


def own_numbers(sources: Sequence[CitableSource]) -> dict[int, CitableSource]:
    """The sources by their own numbers, where all have one and these are not their places: a model reads what it was shown."""
    numbers = {int(source.source_id): source for source in sources if _OWN_NUMBER.fullmatch(source.source_id) and not source.chunk_id}
    return numbers if len(numbers) == len(sources) and list(numbers) != list(range(1, len(sources) + 1)) else {}


def content_of(found: lenient_json.Object) -> str:
    """The text of a document or result: one text, or parts that each have one."""
    for name in ("content", "text", "page_content", "body", "chunk_text", "snippet", "data"):
        value = lenient_json.first(found, name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            parts = [part if isinstance(part, str) else lenient_json.text(lenient_json.mapping(part), "text", "content") for part in value]
            return "\n".join([part for part in parts if part])
        if isinstance(value, dict):
            inner = lenient_json.text(value, "text", "content", "snippet", "data")
            if inner:
                return inner
    return ""
