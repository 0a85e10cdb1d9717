"""Draws a sample: a pure function of the frozen candidates, the design and the seed, so that anybody can draw it again.

Candidates are ranked by the SHA-256 of the seed and their identifier; in each stratum those of the lowest ranks are drawn. Over all
seeds this is simple random sampling without replacement in each stratum, whichever order the candidates come in.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from reviewers.review.plan_models import Draw


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that could be drawn."""

    id: UUID
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """How many are drawn: all, a share, a number, or a number evenly over strata."""

    draw: Draw
    share: float | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """An item that was drawn. ``probability`` is that of drawing it, over all seeds."""

    id: UUID
    stratum: str
    probability: float


def draw(candidates: Iterable[Candidate], design: Design, seed: str) -> list[Drawn]:
    """The sample, in the order in which it is worked through, which is random too."""
    ranked = sorted(candidates, key=lambda each: _rank(seed, str(each.id)))
    counts = Counter(each.stratum if design.draw is Draw.STRATIFIED else "" for each in ranked)
    wanted, chance = _wanted(design, counts, seed)
    left = Counter(wanted)
    drawn: list[Drawn] = []
    for candidate in ranked:
        stratum = candidate.stratum if design.draw is Draw.STRATIFIED else ""
        if left[stratum] > 0:
            left[stratum] -= 1
            drawn.append(Drawn(candidate.id, candidate.stratum, chance * wanted[stratum] / counts[stratum]))
    return drawn


def _wanted(design: Design, counts: Mapping[str, int], seed: str) -> tuple[Mapping[str, int], float]:
    """How many of each stratum, and the chance of a stratum to be one of those that any are drawn from."""
    total = sum(counts.values())
    if design.draw is Draw.STRATIFIED:
        return _wanted_of_strata(min(design.size or 0, total), counts, seed)
    if design.draw is Draw.NUMBER:
        return {"": min(design.size or 0, total)}, 1
    if design.draw is Draw.SHARE:
        return {"": min(total, max(1, int(total * (design.share or 0) + 0.5)))}, 1
    return {"": total if design.draw is Draw.ALL else 0}, 1


def _wanted_of_strata(size: int, counts: Mapping[str, int], seed: str) -> tuple[Mapping[str, int], float]:
    """Where fewer are wanted than there are strata, one each of as many strata, which are drawn as well."""
    if size < len(counts):
        chosen = sorted(counts, key=lambda stratum: _rank(seed, "stratum " + stratum))[:size]
        return dict.fromkeys(chosen, 1), size / len(counts)
    return spread(size, counts), 1


def spread(size: int, counts: Mapping[str, int]) -> dict[str, int]:
    """A number spread evenly over strata, none given more than it has; what small ones cannot take goes to the larger."""
    parts: dict[str, int] = {}
    for place, (stratum, count) in enumerate(sorted(counts.items(), key=lambda each: (each[1], each[0]))):
        parts[stratum] = min(count, (size - sum(parts.values())) // (len(counts) - place))
    return parts


def _rank(seed: str, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()
