"""A blind review, the list of the queue and the report of a withheld answer tell nothing of where an answer has markers."""

from __future__ import annotations

import json

import pytest

from tests.factories import make_item, sign_in
from tests.reports.exporting.made import of_item, report_of
from tests.review.plans.planning import run_blind
from tests.review.plans.test_blind_citations import FIRST, SECOND, shown, turn

MARK, OTHER = "[[SF:risk_level]]", "[[PG:provider_name]]"
PLAIN = f"Intro here.\n{FIRST} [1].\n\n## Dose\n\n{SECOND} [2], so wait."


@pytest.mark.parametrize(
    ("where", "instead"),
    [
        ("first [1]", "first ({}) [1]"),
        ("first [1]", "first {}, {other} [1]"),
        ("wait.", "wait (source: {})."),
        ("Intro here.\n", "Intro here.\n{} "),
        ("## Dose", "{} ## Dose"),
        ("so wait.", "so wait.\n\nSources: {}, {other}"),
        ("evening [2]", "evening [SF:risk_level] [2]"),
    ],
)
def test_traces_of_markers_are_told_nowhere(organisation, lead, bob, where, instead):
    marked = PLAIN.replace(where, instead.replace("{other}", OTHER).replace("{}", MARK))
    items = [make_item(organisation, **turn(text, name)) for name, text in (("turn-plain", PLAIN), ("turn-other", marked))]
    run_blind(lead)

    answers, sources = zip(*(_parts_of(shown(bob, item)) for item in items), strict=True)
    assert answers[0] == answers[1]
    assert sources[0] == sources[1]
    assert FIRST in answers[0]
    assert FIRST in sources[0]
    queue = sign_in(bob).get("/queue/").content.decode()
    assert queue.count("<bdi class") == 2
    assert len({part.partition("</bdi>")[0] for part in queue.split('<bdi class="excerpt">')[1:]}) == 1
    told = [report_of(lead, of_item(item.pk)).answers[0] for item in items]
    assert told[0].text == told[1].text == told[1].response


def _parts_of(page: str) -> tuple[str, str]:
    """The answer, and the citations of its sources. Which fields it draws on does differ: those that it cites are among them."""
    return page.partition('<div class="answer"')[2].partition("</div>")[0], page.partition('id="sources"')[2].partition("</section>")[0]


def test_statements_beside_the_text_show_no_markers(organisation, lead, bob, auditor):
    claims = [{"text": f"{FIRST} ({MARK})", "citations": [{"id": "ask", "quote": f"{FIRST} {MARK}"}]}]
    answer = {"answer": f"{FIRST} {MARK} [1].", "claims": claims, "unanswered_aspects": [f"evenings {MARK}"]}
    item = make_item(organisation, **turn(json.dumps(answer), "claims"))
    run_blind(lead)

    page = shown(bob, item)
    assert FIRST in page
    assert "evenings" in page
    assert "[[" not in page
    assert "[[SF:risk_level]]" in shown(auditor, item)


def test_a_quote_beside_the_text_shows_no_marker(organisation, lead, bob, auditor):
    citations = [{"source": "ask", "quote": f"{FIRST} {MARK}", "claim": FIRST}]
    item = make_item(organisation, **turn(f"{FIRST} {MARK}.", "beside") | {"citations": citations})
    run_blind(lead)

    assert "[[" not in shown(bob, item)
    assert "[[SF:risk_level]]" in shown(auditor, item)


def test_the_part_of_a_long_answer_that_is_not_read_shows_no_markers(organisation, lead, bob, auditor):
    item = make_item(organisation, response=f"{'Ask first, then wait. ' * 40_000}Your risk is elevated {MARK}.")
    run_blind(lead)

    assert "[[" not in shown(bob, item)
    assert "[[SF:risk_level]]" in shown(auditor, item)
