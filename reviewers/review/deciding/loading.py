"""Items with everything that was said and decided of them, many in a few statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db.models import QuerySet

from reviewers.review.deciding.made import Made, RowKey, made_of
from reviewers.review.deciding.rules import Row, conflicts_of, rows_of
from reviewers.review.items import Item
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Rule
from reviewers.review.plans.labels import Reviewed, labels_of_items
from reviewers.review.standing import TERMS, Standing, read_standing, reviews_of


@dataclass(frozen=True)
class Case:
    """An item, the reviews of its present round, and what people have decided of it in this round. For deciding, not for showing."""

    item_id: UUID
    rule: Rule
    standing: Standing
    reviews: Sequence[Reviewed]
    made: Mapping[RowKey, Made]

    @cached_property
    def rows(self) -> list[Row]:
        """Every row that anybody labelled, with what became of it."""
        return rows_of(self.reviews, self.rule, self.made)

    @cached_property
    def conflicts(self) -> list[Row]:
        """Those that a lead has to decide yet."""
        return conflicts_of(self.rows)


def load_case(item: Item) -> Case:
    """The case of one item, as its labels are now."""
    rule = Rule(item.row.plan.rule) if item.row.plan else Rule.UNANIMOUS
    return _cases({item.id: item.standing}, {item.id: rule})[0]


def load_cases(items: QuerySet[QueueItem]) -> list[Case]:
    """The cases of some items, in their order, in four statements."""
    rows = items.annotate(reviewed=reviews_of()).values("pk", "plan__rule", *TERMS, "reviewed")
    standings = {row["pk"]: read_standing(row, (), row["reviewed"]) for row in rows}
    rules = {row["pk"]: Rule(row["plan__rule"] or Rule.UNANIMOUS) for row in rows}
    return _cases(standings, rules)


def _cases(standings: Mapping[UUID, Standing], rules: Mapping[UUID, Rule]) -> list[Case]:
    reviews, made = labels_of_items(standings), made_of(standings)
    return [Case(pk, rules[pk], standing, reviews[pk], made.get(pk, {})) for pk, standing in standings.items()]
