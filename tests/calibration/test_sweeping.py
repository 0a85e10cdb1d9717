"""Cut-offs by what only stored answers tell: how densely they cite, how much of a long text they have. And what caps are worth."""

from __future__ import annotations

import json
import math
import zlib

import pytest

from reviewers.calibration.charts import CutoffLine, LabelFigure, draw_cutoff_charts
from reviewers.calibration.cutoffs import by_density, by_share
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.labels.queries import words_per_marker
from reviewers.calibration.pages.thresholds import build_sweep, list_caps
from reviewers.review.models import Verdict
from tests.calibration.labelled import combination_of, make_answer, review_as
from tests.factories import sign_in
from tests.markup import read_markup

TEXT = "gentle listening therapist helping anxious adults through structured weekly cognitive sessions"
"""Eleven words that tell something."""


def cite(by, number: int, markers: int, words: int, verdict: Verdict):
    """An answer of so many words with markers for fields that it does not say."""
    context = {"safety": {f"level_{each}": f"Hidden {each}" for each in range(markers)}}
    cited = " ".join(f"[[SF:level_{each}]]" for each in range(markers))
    item = make_answer(by, number, response=f"{'word ' * (words - 1)}word {cited}.", context=context)
    review_as(item, by, number, lambda *_: verdict)
    return item


def say(by, number: int, count: int, verdict: Verdict):
    """An answer that has so many words of a long text."""
    words = " ".join(TEXT.split()[:count])
    item = make_answer(by, number, response=f"She offers {words}.", context={"provider": {"summary": TEXT}})
    review_as(item, by, number, lambda *_: verdict)
    return item


def test_rows_that_rest_on_a_marker_alone_are_cut_off_by_how_densely_their_answer_cites(alice, lead):
    dense = cite(alice, 0, 4, 40, Verdict.WRONG)
    sparse = cite(alice, 1, 2, 80, Verdict.CORRECT)
    alone = cite(alice, 2, 1, 4, Verdict.CORRECT)
    seen = combination_of(dense)

    found = words_per_marker(build_dataset(seen).observations)
    assert found == {str(dense.pk): 10, str(sparse.pk): 40, str(alone.pk): math.inf}
    told = json.loads(zlib.decompress(bytes(dense.attribution.document)))["guardrails"]
    assert any("4 markers in 40 words" in each["message"] for each in told)
    swept = by_density(build_dataset(seen).observations)
    assert (swept.present, len(swept.forecasts)) == (25, 7)
    lines = {line.written: line for line in build_sweep(seen, "density").lines}
    assert (lines["10"].rows, lines["15"].rows, lines["50"].rows) == (7, 3, 1)
    assert (round(lines["10"].precision.plain, 2), lines["15"].precision.plain, lines["15"].recall.plain) == (0.43, 1, 1)
    page = read_markup(sign_in(lead).get(f"/calibration/{seen.pk}/thresholds/?by=density&at=15"))
    assert "From 15 up" in page.text
    assert "A profile can be proposed with it below; nothing is chosen by itself" in page.text


def test_a_long_text_is_cut_off_by_the_share_that_was_found_and_not_by_its_capped_score(alice):
    whole, most = say(alice, 0, 11, Verdict.CORRECT), say(alice, 1, 8, Verdict.WRONG)
    observations = build_dataset(combination_of(whole)).observations

    shared = sorted(each.probability for each in by_share(observations).forecasts)
    assert shared == pytest.approx([8 / 11, 1])
    assert most.pk
    texts, _ = list_caps(observations)
    assert (texts.present, texts.labels, texts.right, texts.share) == (0.7, 2, 1, 0.5)
    assert texts.interval.low < 0.5 < texts.interval.high


def test_caps_without_labels_say_so(alice, lead):
    item = cite(alice, 0, 2, 80, Verdict.CORRECT)

    page = read_markup(sign_in(lead).get(f"/calibration/{combination_of(item).pk}/thresholds/"))
    assert page.one("section", **{"aria-labelledby": "caps"}).text.count("cannot tell") == 2


def test_a_picture_says_that_figures_lie_below_it():
    kappas, one = {0.3: 0.2, 0.4: -0.3}, LabelFigure(1.0)
    lines = [CutoffLine(each, f"{each:.2f}", 7, one, one, one, one, LabelFigure(kappa)) for each, kappa in kappas.items()]

    charts = draw_cutoff_charts(lines, 0.3, None)

    assert [(each.second.name, each.second.is_cut) for each in charts] == [("recall", False), ("kappa", True)]
