"""Numbers in one form each: equal numbers have equal forms, and nothing is rounded."""

from __future__ import annotations

from attribution.lexicon.words import AMOUNT_LETTERS, AMOUNT_WORDS

_TIMES = {**AMOUNT_LETTERS, **AMOUNT_WORDS}


def canonical_number(written: str) -> str:
    """``1,200`` → ``1200``, ``14.50`` → ``14.5``, ``007`` → ``7``: equal numbers have equal forms, nothing is rounded."""
    whole, _, fraction = written.replace(",", "").partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole


def shift_point(canonical: str, places: int) -> str:
    """A canonical number with its point moved to the right, or to the left if ``places`` is negative: exact at any length."""
    whole, _, fraction = canonical.partition(".")
    if places < 0:
        whole = whole.rjust(1 - places, "0")
        return canonical_number(f"{whole[:places]}.{whole[places:]}{fraction}")
    fraction = fraction.ljust(places, "0")
    return canonical_number(f"{whole}{fraction[:places]}.{fraction[places:]}")


def canonical_amount(written: str) -> str:
    """``1.5k`` and ``1.5 thousand`` → ``1500``; a number that nothing multiplies as ``canonical_number`` has it."""
    number = written.rstrip("abcdefghijklmnopqrstuvwxyz")
    canonical = canonical_number(number.rstrip("-").rstrip())
    return shift_point(canonical, _TIMES[written[len(number) :]]) if number != written else canonical
