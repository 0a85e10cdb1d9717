"""An answer as long as any that is read, of any one thing, beside hundreds of fields of any one kind, is read in time."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from attribution import attribute
from attribution.budget import MOST_ANSWER
from attribution.lexicon import load_lexicon
from tests.attribution.growth import cpu_seconds
from tests.attribution.test_budget import MOST_SECONDS
from tests.attribution.test_linear import ANSWERS
from tests.sampling import sampled

NUMBER = 400
LEXICON = load_lexicon()
NAMES_OF_FLAGS = [name for entry in LEXICON.yes_no for name in entry.fields]
CLASSES = {entry.fields[0]: entry.values[0].value for entry in LEXICON.classes} | {
    (entry.fields or (entry.name,))[0]: entry.steps[-1].value for entry in LEXICON.scales
}


def fields(**written: str) -> dict[str, Any]:
    """Return a context of many fields, each name and value written with the field's number."""
    pairs = list(written.items())
    every = [pairs[number % len(pairs)] for number in range(NUMBER)]
    return {"s": {name.format(number): value.format(number, number % 28 + 1) for number, (name, value) in enumerate(every)}}


CONTEXTS: dict[str, dict[str, Any]] = {
    "names": fields(**{"provider_{}_name": "Dr. Mary Zorro{}x"}),
    "one name": {f"p{number}": {"provider_name": "Dr. Mary Zorro"} for number in range(NUMBER)},
    "entities": {"matches": [{"name": f"Mary{number}x Zorro", "fee": 100 + number, "fit_score": 0.5} for number in range(NUMBER // 3)]},
    "yes or no": {"s": {name: bool(number % 2) for number, name in enumerate(NAMES_OF_FLAGS[:NUMBER])}},
    "classes": {"s": CLASSES, "t": {f"{name}_{number}": value for number in range(5) for name, value in CLASSES.items()}},
    "amounts": fields(**{"session_fee_{}": "$1{}"}),
    "days": fields(**{"appointment_{}_date": "2026-04-{1:02}"}),
    "hours": fields(**{"appointment_{}_time": "{1:02}:30"}),
    "codes": fields(**{"code_{}": "A{}B7"}),
    "scores": {"s": {f"phq9_{number}_score": number % 27 for number in range(NUMBER)}},
    "notes": fields(**{"note_{}": "She said {} that the risk is low, and that she came for help with sleep. She takes sertraline {} mg."}),
    "lists": {"s": {f"languages_{number}": ["English", "Spanish", f"Sign {number}"] for number in range(NUMBER)}},
    "all kinds": {
        f"s{number}": {
            "name": f"Mary{number}x Zorro",
            "fee": f"${90 + number}",
            "accepting_new": bool(number % 2),
            "next_opening": "2026-03-08T14:00",
            "risk_level": "low",
            "city": f"Town{number}x",
            "specialties": ["anxiety", "grief"],
            "medication": f"sertraline {number} mg",
        }
        for number in range(NUMBER // 8)
    },
}
SAID = (
    *ANSWERS,
    *(
        "Dr. Mary Zorro, MD, ",
        "Mary Zorro ",
        "Zzz ",
        "ZZZ ",
        "Aa-Bb-Cc ",
        "Town1x, ",
        "A1B7 ",
        "A1-B7/",
        "Teresa Alvarez ",
        "sign ",
        "العربية ",
    ),
    *(
        "balance is $7 ",
        "# Fees\n- $90\n",
        "$81, not $90. ",
        "march 8th, not 9th. ",
        "2026-03-08 ",
        "at 2 pm, not 3 pm. ",
        "9 and 14 respectively ",
    ),
    *(
        "| low | 1 |\n",
        "| Dr. Mary Zorro | $120 | yes |\n",
        "| name | fee |\n|---|---|\n| Mary1x Zorro | $91 |\n",
        "- Mary1x Zorro: $91, full\n",
    ),
    *(
        "neither low nor high, ",
        "from low to high ",
        "her sister's ",
        "He said that she ",
        "may ",
        "no longer ",
        "sorry, I meant ",
        "English, Polish or ",
    ),
    *(f"{(*entry.yes, *entry.no)[number % len(entry.yes)]}. " for number, entry in enumerate(LEXICON.yes_no) if number % 9 == 0),
    *(f"{entry.values[0].phrases[-1]} " for entry in LEXICON.classes[::9]),
)


@pytest.mark.parametrize(
    ("context", "unit"), sampled(list(product(CONTEXTS, SAID)), lambda case: case[0], lambda case: case[1] in SAID[len(ANSWERS) :], more=6)
)
def test_the_longest_answer_beside_many_fields_is_read_in_time(context: str, unit: str) -> None:
    answer = unit * (MOST_ANSWER // len(unit))

    assert cpu_seconds(lambda: attribute(response=answer, context=CONTEXTS[context]), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize(
    ("context", "unit"),
    [
        ("names", "Aa-Bb-Cc "),
        ("yes or no", "| Dr. Mary Zorro | $120 | yes |\n"),
        ("days", "march 8th "),
        ("lists", "sign "),
    ],
)
def test_what_is_seen_once_is_not_looked_for_again_by_each_field(context: str, unit: str) -> None:
    """Each of these took 5 to 50 seconds: a loop over the whole answer, or over all fields, for every field and figure."""
    answer = unit * (MOST_ANSWER // len(unit))

    assert cpu_seconds(lambda: attribute(response=answer, context=CONTEXTS[context]), enough=2.0) <= 4.0
