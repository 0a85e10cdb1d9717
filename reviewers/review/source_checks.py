"""The checks of one citation as a page shows them: each a few words, a tone, and the sentence of the engine behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from attribution import ReferenceCheck
from reviewers.review.source_words import quote_badge
from reviewers.review.words import Badge

Check = tuple[Badge, str]
"""The words, and the engine's sentence."""


_WORST_FIRST = ("bad", "warn", "unsure", "quiet", "good")


def checks_of(check: ReferenceCheck | None) -> list[Check]:
    """Quote, its place, figures and names, support by words, in this order; one that says so where nothing could be checked."""
    if check is None:
        return [(_badge("Not checked", "quiet", "none"), "there is no text to check it by, or it stands for no words of the answer")]
    return [*_quote(check), *_missing(check), *_support(check)]


def summary_of(checks: Iterable[Check]) -> Badge | None:
    """The worst of some checks in a few words, with how many others failed; one that says so where nothing is wrong; nothing for none."""
    badges = sorted([badge for badge, _ in checks], key=lambda badge: _WORST_FIRST.index(badge.tone))
    if not badges:
        return None
    failed = sum(badge.tone in ("bad", "warn") for badge in badges)
    if badges[0].tone == "good":
        return _badge("Nothing wrong found", "good", "check")
    return replace(badges[0], text=f"{badges[0].text}, and {failed - 1} more") if failed > 1 else badges[0]


def _quote(check: ReferenceCheck) -> Iterator[Check]:
    if check.quote is not None:
        yield quote_badge(check.quote.rule.value, is_verified=check.quote.is_verified), check.quote.trace
    if check.quote_span is not None:
        is_right = check.quote_span.is_verified
        words = "Stands at its place" if is_right else "Does not stand at its place"
        yield _badge(words, "good" if is_right else "bad", "check" if is_right else "clash"), check.quote_span.trace


def _missing(check: ReferenceCheck) -> Iterator[Check]:
    for each in check.missing:
        is_figure = each.kind.value == "figure"
        badge = _badge("Figure not in the source", "bad", "clash") if is_figure else _badge("Name not in the source", "warn", "dropped")
        yield badge, each.trace


def _support(check: ReferenceCheck) -> Iterator[Check]:
    support = check.support
    if support is None:
        return
    words = "Its words support this" if support.is_supported else "Its words do not support this"
    badge = _badge(words, "good" if support.is_supported else "warn", "check" if support.is_supported else "unsure")
    together = f"; {len(check.passages)} sources read together" if len(check.passages) > 1 else ""
    yield badge, f"{support.trace}{together}; score {support.probability:.2f}"


def _badge(title: str, tone: str, icon: str) -> Badge:
    return Badge(title, title, tone, icon)
