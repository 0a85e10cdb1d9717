"""Numbered citations: the fixtures that anyone who knows the subject can extend."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from attribution import DocumentAttribution, IssueCode, Reference, attribute_documents

FIXTURES = Path(__file__).parents[1] / "fixtures" / "documents"
TITLES = ("Leaflet on the knee", "Prices of the clinic", "Opening hours in winter")
_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")


@dataclass(frozen=True)
class Case:
    title: str
    answer: str
    documents: int
    clean: str
    cites: str
    issues: str

    def __str__(self) -> str:
        return self.title


def cases() -> list[Case]:
    text = (FIXTURES / "numbered.txt").read_text(encoding="utf-8")
    return [_case(written) for written in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]]


def _case(written: str) -> Case:
    title, _, body = written.removesuffix("\n").partition("\n")
    answer, *blocks = re.split(r"^--- (?=documents$|clean$|cites$|issues$)", body.removesuffix("\n") + "\n", flags=re.MULTILINE)
    answer = _characters(answer.removesuffix("\n"))
    named = {name: _characters(text.removesuffix("\n")) for name, _, text in (block.partition("\n") for block in blocks)}
    return Case(
        title, answer, int(named.get("documents", "3")), named.get("clean", answer), named.get("cites", ""), named.get("issues", "")
    )


def _characters(text: str) -> str:
    return _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text)


def _cites(attribution: DocumentAttribution) -> str:
    return "\n".join(f"{_targets(each)} | {_behind(each, attribution.clean_text)}" for each in attribution.references)


def _targets(reference: Reference) -> str:
    return ", ".join(target.written + ("" if target.source else "?") for target in reference.targets)


def _behind(reference: Reference, clean: str) -> str:
    if reference.position is None:
        return "(listed)"
    return clean[slice(*reference.span)] if reference.span else "(nothing)"


def _read(case: Case) -> tuple[str, str, str]:
    documents = [{"title": title} for title in TITLES] + [{}] * case.documents
    attribution = attribute_documents(response=case.answer, documents=documents[: case.documents])
    issues = [issue.code for issue in attribution.issues if issue.code is not IssueCode.OUT_OF_RANGE]
    return attribution.clean_text, _cites(attribution), "\n".join(issues)


def test_a_number_in_brackets_is_read_as_a_careful_reader_would() -> None:
    assert [(case, read) for case in cases() if (read := _read(case)) != (case.clean, case.cites, case.issues)] == []
