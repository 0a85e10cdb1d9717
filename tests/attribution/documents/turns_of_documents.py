"""Reads the fixtures of answers that cite documents, and writes results as the lines they expect.

    === A title that says what is promised
    The answer, on as many lines as it has; left out where the provider's response holds it.
    --- documents
    [{"title": "Opening hours", "content": "We open at nine."}]
    --- expect
    text: "We open at nine."
    resolved doc-1 "We open at nine"

Optional blocks, in JSON: ``documents``, ``tools`` (tool calls), ``citations`` (beside the text), ``native`` (a provider's response),
``policy``, ``day`` (of the message). ``<U+000D>`` stands for that character.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from attribution import CitationPolicy, DocumentAttribution, QuotePolicy, attribute_documents

FOLDER = Path(__file__).parents[1] / "fixtures" / "documents"
_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")
_BLOCK = re.compile(r"^--- (documents|tools|citations|native|policy|day|expect)$\n?", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    title: str
    answer: str
    given: dict[str, Any]
    expected: str

    def __str__(self) -> str:
        return self.title

    def attribute(self) -> DocumentAttribution:
        policy = dict(self.given.get("policy", {}))
        if "quotes" in policy:
            policy["quotes"] = QuotePolicy(policy["quotes"])
        return attribute_documents(
            response=self.answer,
            documents=self.given.get("documents", []),
            tool_calls=self.given.get("tools", []),
            citations=self.given.get("citations"),
            native=self.given.get("native"),
            policy=CitationPolicy(**policy),
            answered_on=date.fromisoformat(self.given["day"]) if "day" in self.given else None,
        )


@cache
def cases(*names: str) -> list[Case]:
    """The cases of these fixture files, in their order."""
    texts = [(FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return [_case(written) for text in texts for written in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]]


def _case(written: str) -> Case:
    title, _, body = written.partition("\n")
    answer, *parts = _BLOCK.split(body.rstrip("\n") + "\n")
    blocks = {name: characters(text.rstrip("\n")) for name, text in zip(parts[::2], parts[1::2], strict=True)}
    expected = blocks.pop("expect")
    return Case(title, characters(answer.removesuffix("\n")), {name: json.loads(text) for name, text in blocks.items()}, expected)


def characters(text: str) -> str:
    return _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text)


def shown(attribution: DocumentAttribution) -> str:
    """The clean text, and one line for each citation, claim, thing unanswered and issue."""
    lines = [f"text: {json.dumps(attribution.clean_text, ensure_ascii=False)}", *_references(attribution)]
    for claim in attribution.claims:
        by = ", ".join(str(ordinal + 1) for ordinal in claim.references) or "nothing"
        lines.append(f"claim {_quoted(claim.text)}{'' if claim.span else ' not found'} by {by}{_after(claim.confidence)}")
    lines += [f"unanswered: {aspect}" for aspect in attribution.unanswered_aspects]
    return "\n".join([*lines, *(f"! {issue.code}: {issue.message}" for issue in attribution.issues)])


def _references(attribution: DocumentAttribution) -> list[str]:
    lines: list[str] = []
    for each in attribution.references:
        behind = f" {_quoted(attribution.clean_text[slice(*each.span)])}" if each.span else ""
        quote = f", quoting {_quoted(each.quote)}" if each.quote else ""
        span = f", at {each.quote_span[0]}-{each.quote_span[1]}" if each.quote_span else ""
        lines.append(f"{each.status} {', '.join(each.sources) or 'nothing'}{behind}{quote}{span}{_after(each.confidence)}")
    return lines


def sources(attribution: DocumentAttribution) -> str:
    """One line for each source."""
    lines: list[str] = []
    for each in attribution.sources:
        page = f" page {each.page}" if each.page is not None else ""
        ids = f" {each.source_id}:{each.chunk_id}" if each.source_id or each.chunk_id else ""
        uri = f" {each.uri} on {each.domain or 'no site'}" if each.uri else ""
        lines.append(f"{each.id} {each.kind} by {each.tool}:{ids} {_quoted(each.title)}{uri}{page} {_quoted(each.content)}")
    return "\n".join(lines) or "nothing"


def judged(attribution: DocumentAttribution) -> str:
    """Return the results of each citation's checks, then trust and validity."""
    lines: list[str] = []
    for each in attribution.references:
        check = each.check
        lines.append(f"{each.status} {', '.join(each.sources) or 'nothing'}{'' if check else ': nothing to check'}")
        if check and check.support:
            lines.append(f"  {'supported' if check.support.is_supported else 'not supported'}")
        if check and check.quote:
            lines.append(f"  {'verified' if check.quote.is_verified else 'refused'}: {check.quote.trace}")
        if check and check.quote_span:
            lines.append(f"  {'span holds' if check.quote_span.is_verified else 'span refused'}: {check.quote_span.trace}")
    trust, validity = attribution.answer_trust, attribution.validity
    lines.append(f"trust {trust.level}{'' if trust.score is None else f' {trust.score:.2f}'}: {trust.trace}")
    lines.append(f"validity {validity.colour}: {validity.reason}")
    return "\n".join([*lines, *(f"! {issue.code}: {issue.message}" for issue in attribution.issues)])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _after(confidence: str) -> str:
    return f", {confidence}" if confidence else ""
