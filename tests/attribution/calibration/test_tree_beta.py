"""TreeBeta: how far labels reach, what each node borrows, and that every label counts once."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import Observation, State, fit, state_of
from attribution.calibration.tree_beta import _SCALES, DEFAULT_STRENGTHS, Labelled, Tree, both_passes, fit_labels, grow
from attribution.confidence import Path
from tests.attribution.calibration.labels import label, labels, seeded
from tests.attribution.calibration.oracles import special, stats

leaves = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("123"), st.booleans()), min_size=1, max_size=60)
strengths = st.tuples(*[st.sampled_from((2.0, 8.0, 64.0))] * 3)


def labelled(drawn: list[tuple[str, str, str, bool]]) -> list[Labelled]:
    return [Labelled((rule, rule + kind, rule + kind + field), 0.9, used) for rule, kind, field, used in drawn]


@pytest.mark.parametrize(
    ("count", "state"),
    [(0, "provisional"), (1, "provisional"), (99, "provisional"), (100, "method_only"), (199, "method_only"), (200, "full")],
)
def test_labels_reach_further_the_more_there_are(count: int, state: str) -> None:
    fitted = fit(labels(count))
    assert (fitted.state, fitted.labels) == (state, count)
    assert {len(node.path) for node in fitted.nodes} == {"provisional": set(), "method_only": {1}, "full": {1, 2, 3}}[state]


def test_while_provisional_scores_stay() -> None:
    table = fit(labels(99)).table
    assert table.confidence(("enum.whole_word", "enum", "safety.risk_level"), 0.95) == 0.95


def test_labels_on_unfound_fields_count_and_tell_nothing_of_the_found() -> None:
    unclaimed = [label(1000 + number, method="none", rule="none", score=0.0, is_used=False) for number in range(300)]
    assert fit([*labels(100), *unclaimed]).state is State.FULL
    assert fit([*labels(200), *unclaimed]).table.confidence(("none.none", "enum", "safety.risk_level"), 0.0) < 0.02


def test_what_nobody_could_judge_is_left_out() -> None:
    known = labels(250)
    unknown = [label(1000 + number, is_used=None) for number in range(50)]
    assert fit([*known, *unknown]) == fit(known)


def test_the_order_of_labels_does_not_matter() -> None:
    known = labels(300)
    shuffled = known.copy()
    seeded(3).shuffle(shuffled)
    assert fit(shuffled) == fit(known)


@given(leaves, strengths)
def test_what_a_leaf_expects_does_not_depend_on_its_own_labels(drawn: Any, chosen: tuple[float, ...]) -> None:
    tree = grow(labelled(drawn))
    for leaf in tree.counts:
        turned = [(rule, kind, field, used != (rule + kind + field == leaf[2])) for rule, kind, field, used in drawn]
        assert prior_of(leaf, grow(labelled(turned)), chosen) == pytest.approx(prior_of(leaf, tree, chosen))


def prior_of(leaf: Path, tree: Tree, chosen: tuple[float, ...]) -> tuple[float, float]:
    return both_passes(tree, chosen).priors[2][tree.levels[2].places[leaf]]


@given(leaves, strengths)
def test_a_child_tells_its_parent_no_more_than_its_level_s_strength(drawn: Any, chosen: tuple[float, ...]) -> None:
    tree = grow(labelled(drawn))
    passed = both_passes(tree, chosen)
    for number, (a, b) in enumerate(passed.posteriors[1]):
        told = a + b - sum(passed.priors[1][number])
        children = sum(tree.levels[1].places[leaf[:2]] == number for leaf in tree.counts)
        assert told <= children * (chosen[2] + 1) + 1e-9


def test_rules_alone_are_a_beta_binomial_model_of_each_rule() -> None:
    """One level: prior k·m pseudo-labels, mixed over five strengths by their marginal likelihood."""
    drawn = [
        Labelled((rule,), 0.9, used) for rule, right, wrong in (("a", 30, 10), ("b", 5, 0)) for used in [True] * right + [False] * wrong
    ]
    _, nodes = fit_labels(drawn)
    scales = np.array(_SCALES) * DEFAULT_STRENGTHS[0]
    counts = np.array([[30, 10], [5, 0]])
    a0, b0 = scales * 0.9, scales * 0.1
    objective = sum(special.betaln(a0 + s, b0 + f) - special.betaln(a0, b0) for s, f in counts) - np.log(_SCALES) ** 2 / 2
    weights = np.exp(objective - objective.max())
    weights /= weights.sum()
    for node, (s, f) in zip(nodes, counts, strict=True):
        means, variances = stats.beta.stats(a0 + s, b0 + f)
        mean = weights @ means
        spread = weights @ (variances + means**2) - mean**2
        strength = mean * (1 - mean) / spread - 1
        low, high = stats.beta.ppf([0.05, 0.95], strength * mean, strength * (1 - mean))
        assert (node.low, node.confidence, node.high) == pytest.approx((low, mean, high), abs=6e-5)
        assert (node.right, node.labels, node.prior, node.worth) == (s, s + f, 0.9, 8.0)


def test_a_whole_tree_equals_a_second_implementation_by_arrays() -> None:
    chance = seeded(4)
    drawn = [(chance.choice("ab"), chance.choice("xy"), chance.choice("1234"), chance.random() < 0.7) for _ in range(150)]
    ours = both_passes(grow(labelled(drawn)), (8.0, 16.0, 12.0))
    assert ours.likelihood == pytest.approx(_likelihood_by_arrays(drawn), abs=1e-9)


def _likelihood_by_arrays(drawn: list[tuple[str, str, str, bool]]) -> float:
    """Compute the likelihood with numpy, leaf by leaf and without passing messages: each prior is computed anew from all other leaves."""
    names = sorted({(rule, kind, field) for rule, kind, field, _ in drawn})
    s = np.array([sum(used for *name, used in drawn if tuple(name) == each) for each in names], float)
    n = np.array([sum(tuple(name) == each for *name, _ in drawn) for each in names], float)
    sent = 13 / (12 + n)
    rules, kinds = np.array([each[0] for each in names]), np.array([each[0] + each[1] for each in names])
    total = 0.0
    for number in range(len(names)):
        above = np.array([8 * 0.9, 8 * 0.1])
        for kind in set(kinds[rules == rules[number]]) - {kinds[number]}:
            these = kinds == kind
            counts = np.array([(sent * s)[these].sum(), (sent * (n - s))[these].sum()])
            above += counts * 17 / (16 + max(counts.sum(), 1))
        of_kind = _widened(above, 16)
        for other in np.flatnonzero(kinds == kinds[number]):
            if other != number:
                of_kind = of_kind + sent[other] * np.array([s[other], n[other] - s[other]])
        a, b = _widened(of_kind, 12)
        total += special.betaln(a + s[number], b + n[number] - s[number]) - special.betaln(a, b)
    return total


def _widened(parent: Any, strength: float) -> Any:
    mean = parent[0] / parent.sum()
    variance = mean * (1 - mean) / (strength + 1) + mean * (1 - mean) / (parent.sum() + 1)
    counts = mean * (1 - mean) / min(variance, 0.75 * mean * (1 - mean)) - 1
    return counts * np.array([mean, 1 - mean])


def test_strengths_are_those_that_make_each_leaf_likeliest_given_the_others() -> None:
    """No single strength of the grid does better than the one chosen."""
    drawn = [Labelled(each.node_path, each.score, bool(each.is_used)) for each in labels(600)]
    chosen, _ = fit_labels(drawn)
    tree = grow(drawn)

    def objective(tried: tuple[float, ...]) -> float:
        return both_passes(tree, tried).likelihood - sum(np.log(np.array(tried) / DEFAULT_STRENGTHS) ** 2) / 2

    for level in range(3):
        for each in (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0):
            assert objective((*chosen[:level], each, *chosen[level + 1 :])) <= objective(chosen) + 1e-8


@given(leaves)
def test_every_confidence_lies_in_its_interval(drawn: Any) -> None:
    for node in fit_labels(labelled(drawn))[1]:
        assert 0 <= node.low <= node.confidence <= node.high <= 1
        assert 0 <= node.right <= node.labels


def test_a_parent_counts_all_labels_below_it() -> None:
    nodes = {node.path: node for node in fit(labels(400)).nodes}
    for path, node in nodes.items():
        below = [each for each in nodes.values() if len(each.path) == len(path) + 1 and each.path[:-1] == path]
        if below:
            assert (node.right, node.labels) == (sum(each.right for each in below), sum(each.labels for each in below))


def test_a_field_with_many_labels_is_judged_by_them_and_one_with_few_by_its_like() -> None:
    many = [label(number, is_used=number % 4 != 0) for number in range(400)]
    few = [label(1000 + number, path="severity_level", is_used=False) for number in range(2)]
    table = fit([*many, *few]).table
    known, sparse = (table.estimate(("enum.whole_word", "enum", f"safety.{name}")) for name in ("risk_level", "severity_level"))
    assert known is not None
    assert sparse is not None
    assert known.confidence == pytest.approx(0.75, abs=0.01)
    assert 0.3 < sparse.confidence < 0.75
    assert sparse.high - sparse.low > known.high - known.low


@pytest.mark.parametrize("used", [True, False])
def test_labels_of_one_kind_do_not_make_certain(*, used: bool) -> None:
    for node in fit([label(number, is_used=used) for number in range(300)]).nodes:
        assert 0 < node.confidence < 1
        assert node.high - node.low > 0


def test_one_label_moves_its_rule_a_little() -> None:
    _, (node, *_) = fit_labels([Labelled(("a", "b", "c"), 0.9, is_used=False)])
    assert 0.7 < node.confidence < 0.9
    assert (node.right, node.labels) == (0, 1)


def test_no_labels_make_no_nodes() -> None:
    assert fit([]).nodes == fit([], State.FULL).nodes == fit_labels([])[1] == ()
    assert state_of(0) is State.PROVISIONAL


def test_a_label_has_a_probability_of_inclusion() -> None:
    for inclusion in (0.0, -0.5, 1.5):
        with pytest.raises(ValueError, match="a probability of inclusion is above 0 and at most 1"):
            label(inclusion=inclusion)
    assert label(inclusion=0.25).weight == 4


def test_capped_scores_and_tenths_of_long_texts_are_nodes_of_their_own() -> None:
    assert label(score=0.5, uncapped_score=0.95).node_path == ("enum.whole_word ambiguous", "enum", "safety.risk_level")
    long: dict[str, Any] = {"method": "summary", "rule": "content_words", "field_type": "summary", "path": "plans.3.note"}
    paths = [label(score=score, **long).node_path for score in (0.6, 0.6999, 0.7)]
    assert paths == [("summary.content_words", f"summary {tenth}", "safety.plans.*.note") for tenth in ("0.6", "0.6", "0.7")]


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    chance = seeded(5)
    held = total = 0
    for _ in range(30):
        truths = {f"f{number}": min(0.98, max(0.3, chance.gauss(0.8, 0.1))) for number in range(10)}
        fitted = fit([_of_world(number, truths, chance) for number in range(300)])
        leaf = {node.path[-1].removeprefix("safety."): node for node in fitted.nodes if len(node.path) == 3}
        held += sum(leaf[name].low <= truth <= leaf[name].high for name, truth in truths.items())
        total += len(truths)
    assert 0.82 <= held / total <= 0.99


def _of_world(number: int, truths: dict[str, float], chance: random.Random) -> Observation:
    name = chance.choice(list(truths))
    return label(number, path=name, is_used=chance.random() < truths[name])
