"""A report as PROV-JSON: from the frozen record over what the engine made of it to labels, reviews and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from attribution import canonical_bytes
from reviewers.reports.exporting.formats.names import derived
from reviewers.reports.exporting.model import Answer, Part
from reviewers.reports.exporting.told import Said

PREFIXES = {"fn": "urn:uuid:", "footnote": "urn:footnote:"}


_KINDS = ("activity", "agent", "entity", "used", "wasAssociatedWith", "wasAttributedTo", "wasDerivedFrom", "wasGeneratedBy")
_IN_MEMORY = 1024 * 1024
_PIECE = 256 * 1024


def write_prov(parts: Iterable[Part]) -> Iterator[bytes]:
    """One document. It groups by kind what comes by answer, so each kind is gathered in a file of its own first."""
    with ExitStack() as stack:
        document = _Document({kind: stack.enter_context(SpooledTemporaryFile(_IN_MEMORY)) for kind in _KINDS})
        for part in parts:
            if isinstance(part, Answer):
                document.add(part)
        yield canonical_bytes({"prefix": PREFIXES})[:-1]
        yield from document.written()
    yield b"}\n"


class _Document:
    """Gathers entities, activities, agents and how they relate. Agents are met again and again, all others once."""

    def __init__(self, files: Mapping[str, IO[bytes]]) -> None:
        self._files, self._agents = files, set[str]()

    def written(self) -> Iterator[bytes]:
        """The kinds that there are any of."""
        for kind, file in self._files.items():
            if file.tell():
                yield f',"{kind}":{{'.encode()
                file.seek(1)  # behind the first comma
                yield from iter(partial(file.read, _PIECE), b"")
                yield b"}"

    def add(self, answer: Answer) -> None:
        record, found = f"fn:{answer.id}", f"fn:{derived(answer.id, 'attribution')}"
        self._put("entity", record, kind="footnote:FrozenRecord", digest=answer.digest, name=answer.external_id)
        self._put("entity", found, kind="footnote:Attribution", digest=answer.attribution, profile=answer.profile)
        engine = f"fn:{derived('engine', answer.engine)}"
        self._put("agent", engine, kind="prov:SoftwareAgent", name=f"Footnote engine {answer.engine}")
        run = f"fn:{derived(answer.id, 'run')}"
        moment = {"prov:startTime": answer.frozen_at, "prov:endTime": answer.frozen_at}
        self._write("activity", run, moment | {"prov:type": _name("footnote:Attributing")})
        self._relate("used", activity=run, entity=record)
        self._relate("wasGeneratedBy", entity=found, activity=run)
        self._relate("wasAssociatedWith", activity=run, agent=engine)
        self._relate("wasDerivedFrom", generatedEntity=found, usedEntity=record)
        for said in _said(answer):
            self._by_person(f"fn:{said.label}", said.reviewer, found, kind="footnote:Label", verdict=said.verdict, at=said.said_at)
        for review in answer.reviews:
            self._by_person(f"fn:{review.id}", review.reviewer, found, kind="footnote:Review", at=review.submitted_at)
        for each in answer.signatures:
            more = {"meaning": each.meaning, "digest": each.digest, "at": each.signed_at}
            self._by_person(f"fn:{each.id}", each.printed_name, f"fn:{each.review}", kind="footnote:Signature", **more)

    def _by_person(self, name: str, person: str, of: str, **about: str) -> None:
        agent = f"fn:{derived('person', person)}"
        self._put("agent", agent, kind="prov:Person", name=person)
        self._put("entity", name, **about)
        self._relate("wasAttributedTo", entity=name, agent=agent)
        self._relate("wasDerivedFrom", generatedEntity=name, usedEntity=of)

    def _put(self, group: str, key: str, *, kind: str, **about: str) -> None:
        if group == "agent" and key in self._agents:
            return
        if group == "agent":
            self._agents.add(key)
        self._write(group, key, {"prov:type": _name(kind), **{f"footnote:{term}": value for term, value in about.items()}})

    def _relate(self, kind: str, **ends: str) -> None:
        key = f"_:{kind}-{derived(kind, *sorted(ends.values()))}"
        self._write(kind, key, {f"prov:{end}": name for end, name in ends.items()})

    def _write(self, kind: str, key: str, value: dict[str, Any]) -> None:
        self._files[kind].write(b"," + canonical_bytes({key: value})[1:-1])


def _name(name: str) -> dict[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}


def _said(answer: Answer) -> list[Said]:
    cited = [said for document in answer.documents for each in document.citations for said in each.said]
    return [said for row in answer.rows for said in row.said] + cited
