"""Everything an answer writes in figures: dates, times, money, percentages, ordinals, phone numbers, plain numbers.

One pass gives each digit to one figure only, so that the 8 of "March 8th" is a day and not also a count, and the 14 of 2014 is
nothing; a second one, only where the text has the words for it, reads what is written out: "half past two", "twenty-five dollars".
A figure's key is its value in one canonical form; a field finds its figures by one look-up.
"""

from __future__ import annotations

from attribution.figures.calendar import minutes_of_day
from attribution.figures.numbers import (
    MOST_PLACES,
    Day,
    Figure,
    FigureKind,
    Figures,
    canonical_amount,
    canonical_number,
    merged,
    shift_point,
)
from attribution.figures.spoken import SPOKEN_WORDS, Spoken, find_spoken
from attribution.figures.written import AMOUNT, find_figures

__all__ = [
    "AMOUNT",
    "MOST_PLACES",
    "SPOKEN_WORDS",
    "Day",
    "Figure",
    "FigureKind",
    "Figures",
    "Spoken",
    "canonical_amount",
    "canonical_number",
    "find_figures",
    "find_spoken",
    "merged",
    "minutes_of_day",
    "shift_point",
]
