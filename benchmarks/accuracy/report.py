"""Report on one file of turns: its figures, then its errors, then what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.accuracy import renaming, tally
from benchmarks.accuracy.agreement import by_half, by_service, development_services, gap
from benchmarks.accuracy.errors import LEGEND, lines_of_errors, lines_of_verdict, spread
from benchmarks.accuracy.figures import FileFigures, labels_digest, turned, wrong_bits
from benchmarks.accuracy.folder import LabelledFile
from benchmarks.accuracy.front_door import Scored, attribute_and_score
from benchmarks.accuracy.tables import Table, lines_of, lines_of_changes, rounded
from benchmarks.accuracy.verdicts import Verdict, judge

SECTIONS = ("scores", "rules", "services", "names", "errors", "changes")


@dataclass(frozen=True)
class FileReport:
    """A measured file. ``most`` errors of a kind are shown; those of held-out services only ``with_held_out``."""

    file: LabelledFile
    verdicts: Sequence[Verdict]
    scored: Scored
    most: int
    with_held_out: bool

    def lines(self, sections: Sequence[str], before: FileFigures) -> Iterator[str]:
        """The sections asked for; ``before`` are the figures that are committed."""
        printing: dict[str, Callable[[], Iterator[str]]] = {
            "scores": self._scores,
            "rules": self._rules,
            "services": self._services,
            "names": self._names,
            "errors": self._errors,
            "changes": lambda: self._changes(before, sections),
        }
        for section in sections:
            yield from printing[section]()

    def figures(self, sections: Sequence[str] = SECTIONS) -> FileFigures:
        """To be kept: those of the sections."""
        tables: dict[str, Callable[[], Table]] = {
            "scores": lambda: self.scored.table,
            "rules": lambda: tally.as_table(tally.tally_rules(self.verdicts)),
            "services": lambda: by_service(self.verdicts) | by_half(self.verdicts),
            "names": lambda: renaming.as_table(self.verdicts, self.renamed),
        }
        made = {section: rounded(make()) for section, make in tables.items() if section in sections}
        return FileFigures(made, labels_digest(self.verdicts), wrong_bits(self.verdicts))

    @cached_property
    def renamed(self) -> list[renaming.Renamed]:
        """The file attributed again with other names."""
        return renaming.rename_fields(self.file, self.verdicts)

    def _readable(self, verdicts: Sequence[Verdict]) -> list[Verdict]:
        """Return the verdicts on fields whose texts may be shown."""
        development = development_services(self.verdicts)
        return [each for each in verdicts if self.with_held_out or each.service in development]

    def _scores(self) -> Iterator[str]:
        yield self.scored.printed or "No scorer (score.py) beside the turns."

    def _rules(self) -> Iterator[str]:
        yield "RULES: rows claimed, how many rightly, precision with its 95% interval, and the mean score they were claimed with"
        yield from lines_of(tally.as_table(tally.tally_rules(self.verdicts)))

    def _services(self) -> Iterator[str]:
        yield "\nSERVICES, the worst first, and their halves"
        yield from lines_of(by_service(self.verdicts))
        halves = by_half(self.verdicts)
        yield from lines_of(halves)
        yield f"  the held-out half is worse by {gap(halves):+.4f}"

    def _names(self) -> Iterator[str]:
        yield "\nNAMES: F1 with every key called otherwise"
        yield from lines_of(renaming.as_table(self.verdicts, self.renamed))
        yield from renaming.lines_of_losses(self.renamed, self.most)

    def _errors(self) -> Iterator[str]:
        which = "" if self.with_held_out else " of the development services (HELD_OUT=1 shows the others too)"
        yield f"\nERRORS{which}; {LEGEND}"
        yield from lines_of_errors(self._readable(self.verdicts), self.most)
        yield from renaming.lines_of_lost_rows(self.renamed, self.most, with_held_out=self.with_held_out)

    def _changes(self, before: FileFigures, sections: Sequence[str]) -> Iterator[str]:
        if not before.labels:
            yield "\nCHANGES: no figures of this file are committed (make accuracy-keep)"
            return
        counted = [section for section in sections if section in before.tables]
        for section, now in self.figures(counted or SECTIONS).tables.items():
            yield f"\nCHANGES of {section} since the committed figures"
            yield from lines_of_changes(now, before.tables.get(section, {}))
        yield from self._turned(before)

    def _turned(self, before: FileFigures) -> Iterator[str]:
        compared = turned(self.verdicts, before)
        if compared is None:
            yield "\nThe committed figures were made with other labels: rows are not compared."
            return
        for title, rows in zip(("newly right", "newly wrong"), compared, strict=True):
            yield f"\nROWS {title}: {len(rows)}"
            for verdict in spread(self._readable(rows))[: self.most]:
                yield from lines_of_verdict(verdict)


def measure(file: LabelledFile, scorer: Path | None, most: int = 20, *, with_held_out: bool = False) -> FileReport:
    """Attribute a file's turns by the front door and judge the result."""
    predictions, scored = attribute_and_score(file.turns, scorer)
    return FileReport(file, judge(file.turns, predictions), scored, most, with_held_out)
