"""Drawing: the same sample for the same seed, as many as asked for, with the probabilities that it says."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.review.models import ControlRow, Draw, PlanItem
from reviewers.review.plans.actions import extend_running_plans, sample_digest
from reviewers.review.plans.sampling import Candidate, Design, Triggers, assign, design_of, draw, spread
from tests.events import events
from tests.factories import NOW, make_item, sign_in
from tests.review.plans.planning import run_plan

STRATA = st.sampled_from(["a", "b", "c", "d"])
CANDIDATES = st.lists(STRATA, max_size=60).map(
    lambda strata: [Candidate(UUID(int=number), stratum) for number, stratum in enumerate(strata)]
)
DESIGNS = st.one_of(
    st.just(Design(Draw.ALL)),
    st.builds(lambda share: Design(Draw.SHARE, share=share), st.floats(0.01, 1)),
    st.builds(lambda size: Design(Draw.NUMBER, size=size), st.integers(1, 70)),
    st.builds(lambda size: Design(Draw.STRATIFIED, size=size), st.integers(1, 70)),
)


@given(CANDIDATES, DESIGNS, st.text(max_size=8), st.randoms())
def test_the_same_seed_draws_the_same_whatever_the_order(candidates, design, seed, random):
    shuffled = random.sample(candidates, len(candidates))

    assert draw(candidates, design, seed) == draw(shuffled, design, seed)


@given(CANDIDATES, DESIGNS, st.text(max_size=8))
def test_what_is_drawn_are_candidates_none_twice(candidates, design, seed):
    drawn = draw(candidates, design, seed)

    assert len({each.id for each in drawn}) == len(drawn)
    assert {(each.id, each.stratum) for each in drawn} <= {(each.id, each.stratum) for each in candidates}
    assert all(0 < each.probability <= 1 for each in drawn)


@given(CANDIDATES, DESIGNS, st.text(max_size=8))
def test_weights_by_probability_sum_to_the_number_of_candidates(candidates, design, seed):
    """Where every stratum is drawn from; where not each stands for the others as well, and so it holds on the average."""
    drawn = draw(candidates, design, seed)
    by_stratum = Counter(each.stratum for each in candidates)
    if drawn and (design.draw is not Draw.STRATIFIED or design.size >= len(by_stratum)):
        assert sum(1 / each.probability for each in drawn) == pytest.approx(len(candidates))


@given(CANDIDATES, st.integers(1, 70), st.text(max_size=8))
def test_strata_are_filled_evenly(candidates, size, seed):
    counts = Counter(each.stratum for each in candidates)
    drawn = Counter(each.stratum for each in draw(candidates, Design(Draw.STRATIFIED, size=size), seed))

    assert drawn.total() == min(size, len(candidates))
    unfilled = [drawn[stratum] for stratum, count in counts.items() if drawn[stratum] < count]
    assert not unfilled or max(drawn.values()) - min(unfilled) <= 1


@given(st.dictionaries(STRATA, st.integers(1, 50), min_size=1), st.integers(0, 300))
def test_spreading_gives_no_stratum_more_than_it_has(counts, size):
    parts = spread(size, counts)

    assert all(parts[stratum] <= count for stratum, count in counts.items())
    assert sum(parts.values()) == min(size, sum(counts.values()))


@pytest.mark.parametrize("design", [Design(Draw.NUMBER, size=5), Design(Draw.STRATIFIED, size=6), Design(Draw.STRATIFIED, size=1)])
def test_over_many_seeds_each_candidate_is_drawn_as_often_as_its_probability_says(design):
    candidates = [Candidate(UUID(int=number), "rare" if number < 4 else "common") for number in range(20)]
    met = Counter()
    for seed in range(2_000):
        for each in draw(candidates, design, str(seed)):
            met[each.id] += 1 / each.probability / 2_000

    assert all(met[each.id] == pytest.approx(1, abs=0.5) for each in candidates)
    assert sum(met.values()) == pytest.approx(20, rel=0.1)


def test_an_answer_counts_in_the_rarest_stratum_of_its_rows():
    one, two, three = (UUID(int=number) for number in range(3))

    found = assign([(one, frozenset({"x", "y"})), (two, frozenset({"x"})), (three, frozenset({"x", "y", "z"}))])

    assert {each.id: each.stratum for each in found} == {one: "y", two: "x", three: "z"}


@pytest.mark.parametrize(
    "design", [Design(Draw.ALL), Design(Draw.SHARE, share=0.5), Design(Draw.NUMBER, size=3), Design(Draw.STRATIFIED, size=3)]
)
def test_what_a_plan_drew_can_be_drawn_again_from_what_it_kept(organisation, lead, design):
    for number in range(6):
        make_item(organisation, **({"response": "Your risk is elevated."} if number % 2 else {}))

    plan = run_plan(lead, design=design)

    frame = json.loads(zlib.decompress(bytes(plan.frame.document)))
    again = draw([Candidate(UUID(pk), stratum) for pk, stratum in frame], design_of(plan), plan.seed)
    kept = list(PlanItem.objects.filter(plan=plan).order_by("ordinal").values_list("item_id", "stratum", "probability"))
    assert [(each.id, each.stratum, each.probability) for each in again] == kept
    (started,) = events("plan.started")
    assert started["details"]["sample"] == sample_digest(again)
    assert started["details"]["seed"] == plan.seed
    assert {row["table"] for row in started["rows"]} == {"review_samplingframe", "review_planitem", "review_plan"}


HALF = "\ud83d"
CUT_OFF = {
    "answer": {"response": f"Dr. Ada Quill takes new clients {HALF}"},
    "field": {
        "context": {
            "safety": {"risk_level": "elevated"},
            "therapeutic_fit": {"fit_score": 0.85},
            f"calendar {HALF}": {"\0seen_on": "1990-01-02"},
        }
    },
}
"""Records with half of a character, as a model leaves it that was cut off, and one that the database has no text for."""


@pytest.mark.parametrize("name", CUT_OFF)
@pytest.mark.parametrize("kind", [Draw.STRATIFIED, Draw.TRIGGERED])
def test_half_of_a_character_in_a_record_stops_no_plan(organisation, lead, kind, name):
    for _ in range(2):
        make_item(organisation, **CUT_OFF[name])
    triggers = Triggers(missing=("nothing.like_it",))

    design = Design(kind, size=9 if kind is Draw.STRATIFIED else None)
    plan = run_plan(lead, design=design, triggers=triggers, control_share=0.5, overlap=2, is_blind=True)
    assert PlanItem.objects.filter(plan=plan).count() == 2
    assert sign_in(lead).get(f"/plans/{plan.pk}/").status_code == 200

    make_item(organisation, **CUT_OFF[name])
    assert extend_running_plans(now=NOW) == 1


def test_a_field_with_half_of_a_character_in_its_name_can_be_a_control_row(organisation, lead):
    for _ in range(2):
        make_item(organisation, **CUT_OFF["field"])
    run_plan(lead, control_share=0.5, overlap=2, is_blind=True)

    (planted,) = ControlRow.objects.filter(is_right=False)
    assert (planted.section, planted.path) == ("calendar \\ud83d", "\\u0000seen_on")
