"""Stored turns attributed from plain values, with results as bytes: all that a process needs that has the engine and nothing else.

A site attributes its turns again with it, here or on other machines. The same turn under the same terms gives the same bytes anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from attribution.codec import canonical_bytes, digest, encode, read_json
from attribution.documents.codec import encode_documents
from attribution.documents.pipeline import attribute_documents
from attribution.documents.references import CitationPolicy, QuotePolicy, SearchUnit
from attribution.documents.trust_table import read_trust_table, with_own_table
from attribution.engine import attribute
from attribution.errors import InputError, ProfileError
from attribution.profile import Profile, read_profile
from attribution.schema.own import read_schema, under_schema


class StoredTurn(NamedTuple):
    """A turn as it is stored. ``record`` and ``hidden_sections`` are JSON: the turn as it came, and the names of what was withheld.

    ``answered_on`` is the day of the answer, if the record tells it; the age of sources is counted until ``cited_on``. ``terms`` names the
    terms to attribute it under. ``key`` and ``digest`` are returned as they are.
    """

    key: str
    digest: bytes
    record: bytes
    hidden_sections: bytes
    answered_on: date | None
    cited_on: date
    terms: str


class StoredResult(NamedTuple):
    """The attribution of a stored turn to fields and to documents, each as canonical JSON.

    ``documents`` is None if the turn neither has nor cites any. ``fields`` is None if the engine cannot read the turn.
    """

    key: str
    digest: bytes
    terms: str
    fields: bytes | None
    documents: bytes | None


@dataclass(frozen=True, slots=True)
class Terms:
    """The profile, with the fields of its schema, and what is asked of citations."""

    profile: Profile
    policy: CitationPolicy


def write_terms(
    *, profile: Profile, schema: bytes | None, policy: Mapping[str, Any], trust_table: bytes | None, trust_title: str
) -> tuple[str, str]:
    """Return the name and the JSON of terms, which ``read_terms`` reads.

    ``profile`` is one without a schema; ``policy`` has the keys required, quotes, repairs and search_unit. ``schema`` and ``trust_table``
    are the organisation's own, as texts.
    """
    table = trust_table.decode("utf-8") if trust_table is not None else None
    content = json.dumps(
        {
            "profile": profile.data,
            "id": profile.id,
            "schema": json.loads(schema) if schema is not None else None,
            "policy": dict(policy),
            "trust_table": table,
            "trust_title": trust_title,
        }
    )
    return digest(content.encode()).removeprefix("sha256:")[:32], content


def read_terms(content: str) -> Terms:
    """Return the terms that ``write_terms`` wrote; raise ``ProfileError`` if this engine reads another profile from them."""
    data = json.loads(content)
    profile, asked, table = read_profile(data["profile"]), data["policy"], data["trust_table"]
    if profile.id != data["id"]:
        raise ProfileError(f"profile: it is read as {profile.id}, and was written as {data['id']}")
    policy = CitationPolicy(
        is_required=asked["required"],
        quotes=QuotePolicy(asked["quotes"]),
        repairs=asked["repairs"],
        search_unit=SearchUnit(asked["search_unit"]),
        trust=with_own_table(read_trust_table(table.encode("utf-8")), data["trust_title"]) if table is not None else None,
    )
    return Terms(under_schema(profile, read_schema(data["schema"])) if data["schema"] is not None else profile, policy)


def attribute_stored(turns: Iterable[StoredTurn], terms: Mapping[str, str]) -> Iterator[StoredResult]:
    """Yield the result of each turn, in order. ``terms`` are those that turns name, as JSON."""
    read: dict[str, Terms] = {}
    for turn in turns:
        if turn.terms not in read:
            read[turn.terms] = read_terms(terms[turn.terms])
        try:
            fields, documents = _attribute(turn, read[turn.terms])
        except InputError:
            fields, documents = None, None
        yield StoredResult(turn.key, turn.digest, turn.terms, fields, documents)


def _attribute(turn: StoredTurn, terms: Terms) -> tuple[bytes, bytes | None]:
    record = read_json(turn.record)
    response, user_text = record["response"], record.get("user_text") or ""
    given, calls = record.get("documents") or (), record.get("tool_calls") or ()
    citing = {"citations": record.get("citations"), "native": record.get("native")}
    reason = record.get("abstention_reason") or ""
    cited = None
    if given or calls or reason or any(citing.values()):
        cited = attribute_documents(
            response=response,
            documents=given,
            tool_calls=calls,
            **citing,
            policy=terms.policy,
            abstention_reason=reason,
            question=user_text,
            answered_on=turn.cited_on,
        )
    found = attribute(
        response=cited.raw_text if cited else response,
        context=record["context"],
        user_text=user_text,
        hidden_sections=read_json(turn.hidden_sections),
        documents=(*given, *calls),
        field_citations=record.get("field_citations") or (),
        profile=terms.profile,
        answered_on=turn.answered_on,
    )
    return canonical_bytes(encode(found)), canonical_bytes(encode_documents(cited)) if cited else None
