"""Every example of the lexicon is read as its entry says, and its counterpart the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attribution import attribute
from attribution.lexicon import Example, Lexicon, Value, load_lexicon
from attribution.text import words_of

_OPEN = Path(__file__).parent / "reading" / "lexicon-open.txt"
_OPPOSITE = {"found": "contradicted", "contradicted": "found"}


class Case(NamedTuple):
    """An example of an entry, or the counterpart that is made of it."""

    entry: str
    answer: str
    field: str
    value: Any
    row: str
    beside: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.entry} | {self.field} = {self.value} | {self.row} | {self.answer}"

    def read(self) -> str:
        context: dict[str, Any] = {}
        for path, value in {self.field: self.value, **self.beside}.items():
            *parents, leaf = path.split(".")
            place = context
            for name in parents:
                place = place.setdefault(name, {})
            place[leaf] = value
        rows = {f"{row.field.section}.{row.field.path}": row for row in attribute(response=self.answer, context=context).fields}
        row = rows[self.field]
        return "contradicted" if row.contradiction is not None else "found" if row.is_used else "none"


def _cases(lexicon: Lexicon) -> Iterator[Case]:
    for name, example in _examples(lexicon):
        yield Case(name, *_parts(example))
    for scale in lexicon.scales:
        yield from _other_steps(scale.name, scale.steps, scale.examples)
    for each in lexicon.classes:
        yield from _other_steps(each.name, each.values, each.examples) if each.exclusive else ()
    for asked in lexicon.yes_no:
        for example in asked.examples:
            if isinstance(example.value, bool) and example.row in _OPPOSITE:
                yield Case(asked.fields[0], example.answer, example.field, not example.value, _OPPOSITE[example.row], example.beside)


def _parts(example: Example) -> tuple[str, str, Any, str, Mapping[str, Any]]:
    return example.answer, example.field, example.value, example.row, example.beside


def _examples(lexicon: Lexicon) -> Iterator[tuple[str, Example]]:
    for entries, name in (
        ((*lexicon.scales, *lexicon.classes, *lexicon.antonyms, *lexicon.relatives), "name"),
        ((*lexicon.labels, *lexicon.yes_no), "fields"),
        (lexicon.synonyms, "words"),
        (lexicon.units, "unit"),
        (lexicon.frames, "leads"),
        ([each for each in lexicon.translations if each.means], "means"),
        ([each for each in lexicon.translations if each.fields], "fields"),
    ):
        for entry in entries:
            named = getattr(entry, name)
            yield from ((named if isinstance(named, str) else named[0], example) for example in entry.examples)


def _other_steps(name: str, values: Sequence[Value], examples: Sequence[Example]) -> Iterator[Case]:
    """Return what is found as contradicted beside another value, and what is contradicted as found beside the value that it states."""
    for example in examples:
        said = _said(example.answer, values)
        if not isinstance(example.value, str) or said is None:
            continue
        if example.row == "contradicted":
            yield Case(name, example.answer, example.field, said.value, "found", example.beside)
        elif example.row == "found":
            other = values[-1] if said is not values[-1] else values[0]
            yield Case(name, example.answer, example.field, other.value, "contradicted", example.beside)


def _said(answer: str, values: Sequence[Value]) -> Value | None:
    """Return the value with the longest phrase in an answer."""
    text = f" {' '.join(words_of(answer))} "
    found = [
        (len(words), value)
        for value in values
        for phrase in (value.value, *value.phrases)
        if (words := " ".join(words_of(phrase))) and f" {words} " in text
    ]
    return max(found, key=lambda each: each[0])[1] if found else None


def _open() -> dict[str, str]:
    """Return the examples that are not read yet, each under the reason that stands above it."""
    found, reason = {}, ""
    for line in _OPEN.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            found[line] = reason
    return found


CASES = list({str(case): case for case in _cases(load_lexicon())}.values())


def test_every_example_is_read_as_its_entry_says() -> None:
    known = _open()
    misread = [f"{case}, is {row}" for case in CASES if str(case) not in known and (row := case.read()) != case.row]
    assert misread == []


def test_what_is_open_is_not_read_yet_and_has_a_reason() -> None:
    cases = {str(case): case for case in CASES}
    known = _open()
    assert [text for text, reason in known.items() if not reason] == []
    assert [text for text in known if text not in cases or cases[text].read() == cases[text].row] == []


def test_no_open_example_is_read_as_the_opposite() -> None:
    cases = {str(case): case for case in CASES}
    assert [text for text in _open() if {cases[text].read(), cases[text].row} == {"found", "contradicted"}] == []
