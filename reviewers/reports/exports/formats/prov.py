"""A report as PROV-JSON, from the snapshot and its attribution to labels, reviews and signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attribution import canonical_bytes
from reviewers.reports.exports.formats.json_documents import Element, JSONFormat, derived
from reviewers.reports.exports.report import Answer, Header
from reviewers.reports.exports.schema import ReportedLabel

PREFIXES = {"fn": "urn:uuid:", "footnote": "urn:footnote:"}
_KINDS = ("activity", "agent", "entity", "used", "wasAssociatedWith", "wasAttributedTo", "wasDerivedFrom", "wasGeneratedBy")


def _begin(_: Header) -> bytes:
    return canonical_bytes({"prefix": PREFIXES})[:-1]


def _elements(_: Header, answer: Answer) -> Iterator[Element]:
    """Yield an answer's entities, activities, agents and relations. Agents have keys, because several answers share them."""
    record, found = f"fn:{answer.id}", f"fn:{derived(answer.id, 'attribution')}"
    yield _entity(record, kind="footnote:FrozenRecord", digest=answer.digest, name=answer.external_id)
    yield _entity(found, kind="footnote:Attribution", digest=answer.attribution, profile=answer.profile)
    yield from _run(answer, record, found)
    for said in _said(answer):
        yield from _by_person(f"fn:{said.label}", said.reviewer, found, kind="footnote:Label", verdict=said.verdict, at=said.said_at)
    for review in answer.reviews:
        yield from _by_person(f"fn:{review.id}", review.reviewer, found, kind="footnote:Review", at=review.submitted_at)
    for each in answer.signatures:
        more = {"meaning": each.meaning, "digest": each.digest, "at": each.signed_at}
        yield from _by_person(f"fn:{each.id}", each.printed_name, f"fn:{each.review}", kind="footnote:Signature", **more)


def _run(answer: Answer, record: str, found: str) -> Iterator[Element]:
    """Yield the engine's run."""
    engine = f"fn:{derived('engine', answer.engine)}"
    yield _agent(engine, kind="prov:SoftwareAgent", name=f"Footnote engine {answer.engine}")
    run = f"fn:{derived(answer.id, 'run')}"
    moment = {"prov:startTime": answer.frozen_at, "prov:endTime": answer.frozen_at}
    yield _element("activity", run, moment | {"prov:type": _name("footnote:Attributing")})
    yield _relation("used", activity=run, entity=record)
    yield _relation("wasGeneratedBy", entity=found, activity=run)
    yield _relation("wasAssociatedWith", activity=run, agent=engine)
    yield _relation("wasDerivedFrom", generatedEntity=found, usedEntity=record)


def _by_person(name: str, person: str, of: str, **about: str) -> Iterator[Element]:
    agent = f"fn:{derived('person', person)}"
    yield _agent(agent, kind="prov:Person", name=person)
    yield _entity(name, **about)
    yield _relation("wasAttributedTo", entity=name, agent=agent)
    yield _relation("wasDerivedFrom", generatedEntity=name, usedEntity=of)


def _entity(key: str, *, kind: str, **about: str) -> Element:
    return _element("entity", key, {"prov:type": _name(kind), **{f"footnote:{term}": value for term, value in about.items()}})


def _agent(key: str, *, kind: str, name: str) -> Element:
    return _element("agent", key, {"prov:type": _name(kind), "footnote:name": name})._replace(key=key)


def _relation(kind: str, **ends: str) -> Element:
    key = f"_:{kind}-{derived(kind, *sorted(ends.values()))}"
    return _element(kind, key, {f"prov:{end}": name for end, name in ends.items()})


def _element(kind: str, key: str, value: dict[str, Any]) -> Element:
    return Element(kind, canonical_bytes({key: value})[1:-1])


def _end(_: Header, count: int) -> bytes:
    del count
    return b"}\n"


PROV = JSONFormat(_begin, _elements, _end, {kind: (f',"{kind}":{{'.encode(), b"}") for kind in _KINDS})
"""One document, grouped by kind."""


def _name(name: str) -> dict[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}


def _said(answer: Answer) -> list[ReportedLabel]:
    cited = [said for document in answer.documents for each in document.citations for said in each.said]
    return [said for row in answer.rows for said in row.said] + cited
