"""Figures of each service that conversations are with, and of two halves of the services.

Rules are developed on one half; its errors are printed with their text. The other half is held out: its figures are printed, its
texts only when asked for. A rule that fits the wording of the texts it was made with shows as a gap between the halves.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.accuracy.agreement import agreement
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.verdicts import Verdict

DEVELOPMENT, HELD_OUT = "development", "held out"


def development_services(verdicts: Sequence[Verdict]) -> frozenset[str]:
    """Of a file's services in the order of their names the first, the third, the fifth and so on."""
    return frozenset(sorted({each.service for each in verdicts})[::2])


def by_service(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """Each service's figures, the worst first."""
    half = development_services(verdicts)
    services = sorted({each.service for each in verdicts})
    figures = {
        f"{service} ({DEVELOPMENT if service in half else HELD_OUT})": agreement(
            [each for each in verdicts if each.service == service]
        ).figures
        for service in services
    }
    return dict(sorted(figures.items(), key=lambda entry: entry[1]["F1"]))


def by_half(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """The figures of the two halves."""
    half = development_services(verdicts)
    return {
        DEVELOPMENT: agreement([each for each in verdicts if each.service in half]).figures,
        HELD_OUT: agreement([each for each in verdicts if each.service not in half]).figures,
    }


def gap(halves: Table) -> float:
    """By how much the held-out half is worse."""
    return halves[DEVELOPMENT]["F1"] - halves[HELD_OUT]["F1"]
