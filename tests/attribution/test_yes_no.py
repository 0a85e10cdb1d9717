"""Yes-or-no fields, by a table of what answers say: found with its words, contradicted, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from attribution import FieldAttribution, attribute
from tests.attribution.cases import FOLDER

CASE = re.compile(r"(?P<name>\w+) (?P<value>true|false): (?:\[(?P<user>[^\]]*)\] )?(?P<answer>.*) => (?P<expected>.*)")


@dataclass(frozen=True)
class Phrase:
    name: str
    value: str
    user: str | None
    answer: str
    expected: str

    def __str__(self) -> str:
        return f"{self.name} {self.value}: {self.answer}"


def phrases() -> list[Phrase]:
    lines = (FOLDER / "yes_no_phrases.txt").read_text(encoding="utf-8").splitlines()
    return [Phrase(**match.groupdict()) for line in lines if (match := CASE.fullmatch(line))]


def shown(row: FieldAttribution, text: str) -> str:
    word = "found" if row.evidence else "contradicted" if row.contradiction else "nothing"
    spans = row.evidence.spans if row.evidence else row.contradiction.spans if row.contradiction else ()
    return " ".join([word, *(f'"{text[start:end]}"' for start, end in spans)])


def read(phrase: Phrase) -> str:
    context = {"provider_genome": {phrase.name: phrase.value == "true"}}
    attribution = attribute(response=phrase.answer, context=context, user_text=phrase.user)
    return shown(attribution.fields[0], phrase.answer)


def test_what_is_said_of_a_yes_or_no_field_is_read() -> None:
    assert [(phrase, found) for phrase in phrases() if (found := read(phrase)) != phrase.expected] == []


def test_there_are_many_phrases() -> None:
    assert len(phrases()) >= 250
