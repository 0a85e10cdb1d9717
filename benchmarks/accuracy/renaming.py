"""Measure what is lost when every field is called by another name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.accuracy.agreement import agreement, by_kind, development_services, kinds_of
from benchmarks.accuracy.errors import lines_of_verdict, spread
from benchmarks.accuracy.folder import LabelledFile
from benchmarks.accuracy.front_door import attribute_turns
from benchmarks.accuracy.paraphrase import COLUMNS, paraphrase_turn, read_dictionary
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.verdicts import Verdict, judge

OWN_NAMES = "own names"

Pair = tuple[Verdict, Verdict]
"""A field under its own name and under its paraphrase."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """The fields of a file under one column of paraphrases."""

    column: str
    pairs: Sequence[Pair]

    @property
    def keys(self) -> dict[str, str]:
        """Each key on the way to a labelled field, and what it has become; the places in lists are no keys."""
        paths = {before.path: after.path for before, after in self.pairs}
        keys = [pair for old, new in paths.items() for pair in zip(old.split("."), new.split("."), strict=True)]
        return {old: new for old, new in keys if not old.isdigit()}

    @property
    def lost(self) -> list[Pair]:
        """Right under the own name and wrong under the paraphrase."""
        return [(before, after) for before, after in self.pairs if before.is_right and not after.is_right]

    @property
    def won(self) -> list[Pair]:
        """The other way round."""
        return [(before, after) for before, after in self.pairs if after.is_right and not before.is_right]


def rename_fields(file: LabelledFile, verdicts: Sequence[Verdict]) -> list[Renamed]:
    """The file attributed again under each column of paraphrases."""
    renamed = []
    for column, dictionary in zip(COLUMNS, read_dictionary(), strict=True):
        turns = [paraphrase_turn(turn, dictionary) for turn in file.turns]
        pairs = list(zip(verdicts, judge(turns, attribute_turns(turns)), strict=True))
        renamed.append(Renamed(column, pairs))
    return renamed


def as_table(verdicts: Sequence[Verdict], columns: Sequence[Renamed]) -> Table:
    """F1 by kind of value: under own names, under each column, and the largest fall."""
    figures = {OWN_NAMES: _f1_by_kind(verdicts)} | {each.column: _f1_by_kind([after for _, after in each.pairs]) for each in columns}
    table = {kind: {name: f1[kind] for name, f1 in figures.items()} for kind in figures[OWN_NAMES]}
    return {kind: row | {"worst fall": row[OWN_NAMES] - min(row[each] for each in COLUMNS)} for kind, row in table.items()}


def _f1_by_kind(verdicts: Sequence[Verdict]) -> dict[str, float]:
    return {kind: agreement(each).f1 for kind, each in by_kind(verdicts).items()}


def lines_of_losses(columns: Iterable[Renamed], most: int) -> Iterator[str]:
    """For each column which keys have lost rows and which have won some, the most first."""
    for each in columns:
        changed = sum(old != new for old, new in each.keys.items())
        yield f"\n{each.column} paraphrases: {changed} of {len(each.keys)} keys renamed; {len(each.lost)} rows lost, {len(each.won)} won"
        lost, won = Counter(map(_names, each.lost)), Counter(map(_names, each.won))
        missed = Counter(_names(pair) for pair in each.lost if pair[0].is_meant)
        for names in sorted(lost | won, key=lambda names: (won[names] - lost[names], names))[:most]:
            old, new, kind = names
            yield (
                f"  {old + ' → ' + new:<58}{kind:<14}lost {lost[names]:>4} "
                f"(missed {missed[names]}, claimed {lost[names] - missed[names]})  won {won[names]:>4}"
            )


def _names(pair: Pair) -> tuple[str, str, str]:
    before, after = pair
    return before.leaf, after.leaf, kinds_of(before.value)[-1]


def lines_of_lost_rows(columns: Iterable[Renamed], most: int, *, with_held_out: bool) -> Iterator[str]:
    """Some of the lost rows with their text, of the development services unless the held-out ones are asked for."""
    for each in columns:
        services = development_services([before for before, _ in each.pairs])
        shown = [after for _, after in each.lost if with_held_out or after.service in services]
        if shown:
            yield f"\nLost under the {each.column} paraphrases, some of {len(shown)}"
        own = {id(after): before for before, after in each.lost}
        for verdict in spread(shown)[:most]:
            yield from lines_of_verdict(verdict)
            yield f"      as {own[id(verdict)].leaf}: {own[id(verdict)].row.get('trace') or 'not claimed'}"
