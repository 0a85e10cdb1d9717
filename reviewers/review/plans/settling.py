"""What the last review of an item leads to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from reviewers.review.items import Item
from reviewers.review.plan_models import Rule
from reviewers.review.plans.labels import Reviewed, labels_of
from reviewers.review.plans.phases import Step


def step_after_last(item: Item) -> Step:
    """Whether anything in the reviews of an item conflicts by its plan's rule. One review cannot conflict with itself."""
    plan = item.row.plan
    if plan is None or item.standing.overlap == 1:
        return Step.AGREED
    is_settled = all(settles(verdicts, Rule(plan.rule)) for verdicts in verdicts_of(labels_of(item.id, item.standing)))
    return Step.AGREED if is_settled else Step.CONFLICTED


def verdicts_of(reviews: Sequence[Reviewed]) -> Iterable[Sequence[str]]:
    """What each review says of each row and each citation that any of them labels."""
    for field in {key for review in reviews for key in review.fields}:
        yield [review.verdict_on(field).value for review in reviews]
    for citation in {key for review in reviews for key in review.citations}:
        yield [review.verdict_on_citation(citation).value for review in reviews]


def settles(verdicts: Sequence[str], rule: Rule) -> bool:
    """Whether a rule makes a decision of some verdicts. What a lead decides no reviewer settles."""
    if rule is Rule.LEAD:
        return False
    most = Counter(verdicts).most_common(1)[0][1]
    return most == len(verdicts) or (rule is Rule.MAJORITY and 2 * most > len(verdicts))
