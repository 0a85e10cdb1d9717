"""What a lead asks of a plan, before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from reviewers.review.plan_models import Draw, Plan, Rule, Stream
from reviewers.review.plans.drawing import Design
from reviewers.review.plans.strata import Triggers


@dataclass(frozen=True, slots=True)
class Terms:
    """All of it, but for the seed, which chance gives."""

    name: str
    candidates: Mapping[str, Any] = field(default_factory=dict)
    design: Design = field(default_factory=lambda: Design(Draw.ALL))
    triggers: Triggers = field(default_factory=Triggers)
    overlap: int = 1
    is_blind: bool = False
    rule: Rule = Rule.UNANIMOUS
    stream: Stream = Stream.NONE
    guide: str = ""
    gold_share: float = 0
    due_on: date | None = None


def design_of(plan: Plan) -> Design:
    """How a plan draws."""
    return Design(Draw(plan.draw), plan.share, plan.size)
