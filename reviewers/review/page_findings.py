"""What the guardrails found, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attribution import Attribution, Finding, GuardrailCode, MarkerStatus
from reviewers.review import words
from reviewers.review.given_labels import FieldKey
from reviewers.review.items import finding_name
from reviewers.review.models import Flag


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A guardrail finding. ``number`` is its place in the attribution."""

    number: int
    badge: words.Badge
    message: str
    target: str
    flags: Sequence[Flag]


def findings_of(attribution: Attribution, flags: Sequence[Flag]) -> list[FindingRow]:
    """The findings of an attribution, each with what was flagged of it."""
    rows = {(row.field.section, row.field.path): number for number, row in enumerate(attribution.fields)}
    return [
        FindingRow(
            number=number,
            badge=words.guardrail_badge(finding.code.value, finding.count),
            message=_message(finding, attribution),
            target=_target(finding, attribution, rows),
            flags=[flag for flag in flags if flag.finding == finding_name(finding)],
        )
        for number, finding in enumerate(attribution.guardrails)
    ]


def _message(finding: Finding, attribution: Attribution) -> str:
    """What a finding says, with the markers it is about."""
    if finding.code is GuardrailCode.CONTRADICTED:
        return f"{finding.section}.{finding.path}: {finding.message}"
    texts = [marker.text for marker in attribution.markers if marker.status.value == finding.code.value]
    shown = ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
    return f"{finding.message}: {shown}" if shown else finding.message


def _target(finding: Finding, attribution: Attribution, rows: Mapping[FieldKey, int]) -> str:
    """The place on the page that a finding leads to."""
    if finding.section is not None and finding.path is not None:
        return f"row-{rows[finding.section, finding.path]}"
    for order, marker in enumerate(attribution.markers):
        if marker.status.value == finding.code.value and marker.status is not MarkerStatus.MALFORMED:
            return f"marker-{order}"
    return ""
