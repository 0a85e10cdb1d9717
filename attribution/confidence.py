"""The calibration of a profile: a table of what labels made of scores, by rule, type of field and field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.errors import ProfileError
from attribution.model import Counted, Estimate, FieldAttribution, FieldType, Track
from attribution.remembering import remembered

Path = tuple[str, ...]
"""Rule, type of field, field: or the first of these only."""

_SHARES = frozenset({FieldType.SUMMARY, FieldType.QUESTION})
"""Long texts: their scores are shares, so they are told apart by tenths."""

_INDEX = re.compile(r"(?<=\.)\d+(?=\.|$)|^\d+(?=\.|$)")
_MOST_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Calibration:
    """An estimate for each node that has labels. Without any, confidences equal scores."""

    estimates: Mapping[Path, Estimate]

    def estimate(self, path: Path) -> Estimate | None:
        """The estimate of the deepest node on a path that has labels; nothing where the rule has none."""
        found = self.estimates.get(path)
        while found is None and len(path) > 1:
            path = path[:-1]
            found = self.estimates.get(path)
        return found

    def confidence(self, path: Path, score: float) -> float:
        """The confidence that goes with a score: the score itself where no label tells of the rule."""
        estimate = self.estimate(path)
        return estimate.confidence if estimate else score

    def calibrate(self, rows: Sequence[FieldAttribution]) -> tuple[FieldAttribution, ...]:
        """The rows with a confidence beside each score. A rule without labels keeps its score."""
        return tuple([row if row.track is Track.NEITHER else self._calibrated(row) for row in rows])

    def _calibrated(self, row: FieldAttribution) -> FieldAttribution:
        estimate = self.estimate(path_of_row(row))
        return row._replace(confidence=estimate.confidence, estimate=estimate) if estimate else row


def path_of_row(row: FieldAttribution) -> Path:
    """Return the place of a row in the table."""
    is_ambiguous = row.evidence is not None and row.evidence.is_ambiguous and not row.is_cited
    field = row.field
    return node_path(f"{row.method}.{row.rule}", field.type, row.score, field.section, field.path, is_ambiguous=is_ambiguous)


def node_path(rule: str, kind: str, score: float, section: str, path: str, *, is_ambiguous: bool) -> Path:
    """Rule, type and field. A capped score is another rule's; a long text's type holds the tenth of its score as well."""
    kind = f"{kind} {int(score * 10 + 1e-9) / 10}" if kind in _SHARES and rule.endswith(".content_words") else str(kind)
    return f"{rule} ambiguous" if is_ambiguous else rule, kind, f"{section}.{_without_indexes(path)}"


@remembered
def _without_indexes(path: str) -> str:
    """``offers.*.price``: the first offer's price and the second's are one field."""
    return _INDEX.sub("*", path)


def read_calibration(data: Mapping[str, Any]) -> Calibration:
    """The table of a profile's calibration; empty where the profile has none. Raises ``ProfileError`` naming the place."""
    nodes = data.get("calibrator", {}).get("nodes", ()) if data else ()
    counted: dict[Path, Counted] = {}
    for number, node in enumerate(nodes):
        path = tuple(node["path"])
        if not 0 < len(path) <= _MOST_DEPTH or not all(isinstance(name, str) for name in path):
            raise ProfileError(f"profile: calibration.calibrator.nodes.{number}.path: must be one to {_MOST_DEPTH} texts")
        counted[path] = Counted(path[-1], node["right"], node["labels"])
    return Calibration({tuple(node["path"]): _read_estimate(node, counted, number) for number, node in enumerate(nodes)})


def _read_estimate(node: Mapping[str, Any], counted: Mapping[Path, Counted], number: int) -> Estimate:
    path = tuple(node["path"])
    low, confidence, high, prior, worth = [float(node[name]) for name in ("low", "confidence", "high", "prior", "worth")]
    if not 0 <= low <= confidence <= high <= 1:
        raise ProfileError(
            f"profile: calibration.calibrator.nodes.{number}: {low}, {confidence} and {high} are no interval of a probability"
        )
    above = tuple([counted[path[:depth]] for depth in range(1, len(path) + 1)])
    return Estimate(confidence, low, high, above, prior, worth)
