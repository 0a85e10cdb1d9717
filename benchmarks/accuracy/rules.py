"""``make rules``, or ``python -m benchmarks.accuracy.rules [--data FOLDER] [--check]``: what each rule's score is worth.

Writes the table beside the profile: for each rule how often it was right on the development files, its default score, and the score
that follows. ``--check`` writes nothing and lists the rules whose default score is another; it ends with 1 where there are some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attribution import DEFAULT_PROFILE, Profile
from benchmarks.accuracy.folder import DEFAULT_FOLDER, LabelledFile, read_folder
from benchmarks.accuracy.front_door import attribute_turns
from benchmarks.accuracy.tally import AMBIGUOUS, Tally, tally_rules
from benchmarks.accuracy.verdicts import judge
from benchmarks.site import ROOT

TABLE = ROOT / "attribution" / "profiles" / "default.rules.md"
FEWEST = 20
"""Rows below which a precision says nothing."""

_STEP = 0.05
_HIGHEST = 0.95
"""Everything heuristic stays below 1."""

_TOO_FEW = "too few to say: score by judgement"
_CAPPED = "ambiguous evidence"

Tallies = Mapping[str, Mapping[str, Tally]]
"""By file and rule."""


def main() -> int:
    """Measure, then write the table or check it."""
    arguments = _arguments()
    files = [file for file in read_folder(arguments.data) if file.has_field_labels]
    if not files:
        print(f"No labelled fields in {arguments.data}; nothing to measure.")
        return 0
    measured = {file.name: tally_rules(judge(file.turns, attribute_turns(file.turns))) for file in files}
    differing = list(differences(DEFAULT_PROFILE, together(measured.values())))
    print("\n".join(differing) or "Each measured rule has the score that follows from its precision.")
    if arguments.check:
        return 1 if differing else 0
    TABLE.write_text("\n".join(document(DEFAULT_PROFILE, measured, files)) + "\n", encoding="utf-8")
    print(f"Wrote {TABLE.relative_to(ROOT)}.")
    return 0


def together(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """The tallies of several files added up."""
    summed: dict[str, Tally] = {}
    for each in tallies:
        for rule, tally in each.items():
            summed[rule] = summed.get(rule, Tally()) + tally
    return summed


def default_scores(profile: Profile) -> dict[str, float]:
    """The score of each rule of a profile; last the one that any ambiguous evidence is capped to."""
    scores = {f"{method}.{rule}": score for (method, rule), score in profile.scores.items()}
    return scores | {_CAPPED: profile.thresholds.common_word_cap}


def score_of(tally: Tally) -> float | None:
    """The score that a precision gives, or nothing where there are too few rows."""
    return min(_HIGHEST, round(round(tally.precision / _STEP) * _STEP, 2)) if tally.rows >= FEWEST else None


def differences(profile: Profile, tallies: Mapping[str, Tally]) -> Iterator[str]:
    """A line for each rule whose default score is not the measured one."""
    tallies = _with_ambiguous(tallies)
    for rule, score in default_scores(profile).items():
        tally = tallies.get(rule, Tally())
        measured = score_of(tally)
        if measured is not None and measured != score:
            yield f"{rule}: {score:.2f} by default, {measured:.2f} measured ({tally.right} of {tally.rows} right)"


def _with_ambiguous(tallies: Mapping[str, Tally]) -> dict[str, Tally]:
    """All ambiguous evidence has one score, so it is one line beside the rules."""
    ambiguous = [tally for rule, tally in tallies.items() if rule.endswith(AMBIGUOUS)]
    return {**tallies, _CAPPED: sum(ambiguous, Tally())}


def document(profile: Profile, measured: Tallies, files: Iterable[LabelledFile]) -> Iterator[str]:
    """The table as Markdown."""
    yield _INTRODUCTION.format(names=" and ".join(f"`{file.name}`" for file in files), fewest=FEWEST)
    columns = ["rule", *measured, "rows", "right", "wrong", "precision", "95% interval", "mean score", "default score", "measured score"]
    yield f"| {' | '.join(columns)} |"
    yield "|---|" + "--:|" * (len(columns) - 1)
    every = {name: _with_ambiguous(tallies) for name, tallies in measured.items()}
    summed = _with_ambiguous(together(measured.values()))
    for rule, score in default_scores(profile).items():
        yield _row(rule, score, [tallies.get(rule, Tally()) for tallies in every.values()], summed.get(rule, Tally()))
    yield from _apart(summed)


def _row(rule: str, score: float, each: Iterable[Tally], tally: Tally) -> str:
    counts = " | ".join(f"{one.right} of {one.rows}" if one.rows else "–" for one in each)
    low, high = tally.interval
    precision = f"{tally.precision:.3f} | {low:.3f}–{high:.3f} | {tally.confidence:.2f}" if tally.rows else "– | – | –"
    measured = score_of(tally)
    verdict = _TOO_FEW if measured is None else f"{measured:.2f}" if measured == score else f"**{measured:.2f}**"
    return f"| {rule} | {counts} | {tally.rows} | {tally.right} | {tally.wrong} | {precision} | {score:.2f} | {verdict} |"


def _apart(summed: Mapping[str, Tally]) -> Iterator[str]:
    """The ambiguous evidence by rule, and what has no score of its own: lists, whose best element lends it."""
    for title, rules in (
        ("Ambiguous evidence by rule", [rule for rule in summed if rule.endswith(AMBIGUOUS)]),
        ("Lists, which take the score of their best element", [rule for rule in summed if rule.startswith("list.")]),
    ):
        if rules:
            yield f"\n{title}:\n"
            for rule in sorted(rules):
                tally = summed[rule]
                yield f"- {rule.removesuffix(AMBIGUOUS)}: {tally.right} of {tally.rows} right, mean score {tally.confidence:.2f}"


_INTRODUCTION = """\
# What the default scores rest on

Made by `make rules` from {names}; not to be edited. *Rows* are labelled fields that the rule has claimed, *right*
those that the answer does draw on. The measured score is the precision of all files together, rounded to 0.05 and at most 0.95, as
everything heuristic stays below 1; it is in bold where the default score is another. A rule with fewer than {fewest} rows has a score
by judgement. Ambiguous evidence (a common word without its field's name, say) has one capped score whatever its rule, so it is a line
of its own and not in its rules'. The mean score is what the rows were claimed with: where it is below the default score, the rule
gives less for less, as long texts do by the share of their words.
"""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.accuracy.rules", description="What each rule's score is worth.")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a folder of labelled turns")
    parser.add_argument("--check", action="store_true", help="write nothing; list the rules whose default score is not the measured one")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
