"""What must never be green is so on no page, no sheet, no API and in no export, and each that tells of validity says why."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from reviewers.accounts.models import Scope
from reviewers.reports.exports.scope import ReportScope as Of
from reviewers.reports.exports.scope import ScopeKind
from tests.factories import make_item, make_key, sign_in
from tests.markup import read_markup
from tests.protected_text.canaries import FILES, file_of

_LABEL = "https://www.fda.gov/drugs/"


def given(*texts: str, **more: Any) -> dict[str, Any]:
    documents = [
        {"source_id": f"s{place}", "title": "Label", "url": f"{_LABEL}{place}", "content": text, "published_at": "2025-01-01", **more}
        for place, text in enumerate(texts, start=1)
    ]
    return {"documents": documents, "context": {}}


def opposite(answer: str, source: str) -> tuple[dict[str, Any], str]:
    return given(source, source) | {"response": f"{answer} [1][2]."}, "the source seems to say the opposite"


_DAILY = "Sertraline is taken once a day."
_QUOTES = [
    {"sourceId": "s1", "quote": "sertraline cures insomnia in two days", "claim": "Sertraline cures insomnia."},
    {"sourceId": "s2", "quote": "the tablets are free of side effects", "claim": "It has no side effects."},
]
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "quotes": (
        given(_DAILY, "The tablets are kept dry.")
        | {"response": "Sertraline cures insomnia. It has no side effects.", "citations": _QUOTES},
        "2 citations failed a check: ",
    ),
    "alcohol": opposite("You can take sertraline with alcohol", "Do not take sertraline with alcohol."),
    "stop": opposite("Stop the medicine as soon as you feel better", "Do not stop the medicine when you feel better."),
    "autism": opposite("The vaccine causes autism", "Large studies found that the vaccine does not cause autism."),
    "inhibitors": opposite("Sertraline can be taken with MAO inhibitors", "Sertraline must not be taken with MAO inhibitors."),
    "range": (given(*[_DAILY] * 4) | {"response": "Sertraline is taken once a day [1-9]."}, "a citation’s number has no source"),
    "list": (
        given(_DAILY, "The tablets are kept dry.") | {"response": f"{_DAILY}\n\nSources used: [1], [2]"},
        "its sources are only listed, the text cites none of them",
    ),
    "old": (
        given(_DAILY, _DAILY, published_at="March 2010")
        | {"response": "Sertraline is taken once a day [1]. Taken once a day [2].", "answered_at": None},
        "every source that it cites is old",
    ),
}
_TELL_WHY = ("page", "snapshot", "item", "pdf", "html", "jsonl", "bundle")
_TELL_NOTHING = ("csv", "xlsx")
"""Tables of fields and labels: they do not name validity."""
_GREEN = re.compile(r"validity[\s\"':>,]{1,4}green|\"colour\": ?\"green\"|(?:Trust|level)[\s\"':]{1,4}(?:high|medium)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", CASES)
def test_it_is_green_nowhere_and_each_says_why(organisation, lead, name):
    changes, why = CASES[name]
    item = make_item(organisation, **changes)
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.READ)}"})
    told = {
        "page": read_markup(sign_in(lead).get(f"/items/{item.pk}/")).text,
        "snapshot": client.get(f"/api/v1/snapshots/{item.pk}").content.decode(),
        "item": client.get(f"/api/v1/items/{item.pk}").content.decode(),
    }
    of = Of(ScopeKind.ITEM, item.pk, all_fields=True)
    told |= {form: file_of(lead, form, of) for form in FILES.values()}

    assert {where: found[0] for where, text in told.items() if (found := _GREEN.search(text))} == {}
    assert [where for where in _TELL_WHY if folded(why) not in folded(told[where])] == []
    assert [where for where in _TELL_NOTHING if "validity" in told[where].lower()] == []


def folded(text: str) -> str:
    """Return a text without what breaks its lines: a PDF has them where there is room."""
    return "".join(text.encode().decode("unicode_escape", "ignore").split()) if "\\u" in text else "".join(text.split())
