"""Plans as their pages show them, with their progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.formats import date_format

from reviewers.accounts.models import Membership, Organisation
from reviewers.review import wording
from reviewers.review.masking.masks import mask_key, mask_path
from reviewers.review.models import Draw, Phase, Plan, PlanItem, PlanState, QueueItem, Submission
from reviewers.review.plans.sampling import Triggers
from reviewers.review.visibility import is_of_engine

_TONES = {PlanState.DRAFT: "unsure", PlanState.RUNNING: "accent", PlanState.FINISHED: "good", PlanState.STOPPED: "quiet"}
_ICONS = {PlanState.DRAFT: "unsure", PlanState.RUNNING: "mixed", PlanState.FINISHED: "check", PlanState.STOPPED: "pause"}
_OPEN_AGAIN = wording.Badge("Open again", "unsure", "mixed")


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """The number of a plan's items in each phase.

    ``mine`` are the member's submitted reviews that count. ``once_more`` are items that were reopened and are not complete again.
    """

    to_do: int = 0
    conflicted: int = 0
    done: int = 0
    mine: int = 0
    once_more: int = 0

    @property
    def open(self) -> int:
        """Return the number of items that are not complete."""
        return self.to_do + self.conflicted

    @property
    def items(self) -> int:
        """Return the number of all items."""
        return self.to_do + self.conflicted + self.done


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A plan in the list. ``terms`` are its terms in a few words.

    ``is_open_again`` is true for a plan that has ended but has something to do, because an answer was reopened or a label changed.
    """

    id: UUID
    name: str
    state: wording.Badge
    is_running: bool
    is_open_again: bool
    terms: str
    due_on: date | None
    is_overdue: bool
    progress: PlanProgress


MOST_LISTED = 200
"""Plans on the page of all plans. Those that ended long ago are left out if there are more."""


def list_plans(by: Membership, now: datetime) -> list[PlanRow]:
    """Return the plans of the organisation by state, running ones first, and the newest first within a state, up to ``MOST_LISTED``."""
    ordered = Plan.objects.filter(organisation=by.organisation_id).order_by(_place_of_state(), "-id")
    plans = list(ordered[:MOST_LISTED])
    progress = progress_of(by, plans)
    return [row_of(plan, progress.get(plan.id, PlanProgress()), now) for plan in plans]


def _place_of_state() -> Case:
    """Return the place of a plan's state in the list. Plans that have ended and are open again come before drafts."""
    open_again = Exists(QueueItem.objects.filter(plan=OuterRef("pk")).exclude(phase=Phase.COMPLETE))
    conditions = (Q(state=PlanState.RUNNING), Q(open_again, ended_at__isnull=False), Q(state=PlanState.DRAFT), Q(state=PlanState.FINISHED))
    return Case(*(When(condition, then=Value(place)) for place, condition in enumerate(conditions)), default=Value(len(conditions)))


def row_of(plan: Plan, progress: PlanProgress, now: datetime) -> PlanRow:
    """Return one plan as a row of the list."""
    state = PlanState(plan.state)
    is_overdue = state is PlanState.RUNNING and plan.due_on is not None and plan.due_on < timezone.localdate(now)
    is_running, is_open_again = state is PlanState.RUNNING, has_ended(plan) and progress.open > 0
    badge = _OPEN_AGAIN if is_open_again else wording.Badge(state.label, _TONES[state], _ICONS[state])
    return PlanRow(plan.id, plan.name, badge, is_running, is_open_again, terms_in_words(plan), plan.due_on, is_overdue, progress)


def has_ended(plan: Plan) -> bool:
    """True if the plan was finished or stopped. Nothing undoes that: what is reopened later is reviewed again on the same terms."""
    return plan.state in (PlanState.FINISHED, PlanState.STOPPED)


def progress_of(by: Membership, plans: QuerySet[Plan] | Sequence[Plan]) -> Mapping[UUID, PlanProgress]:
    """Return the progress of some plans, in two queries."""
    phases = {"to_do": Phase.INDEPENDENT, "conflicted": Phase.CONSOLIDATING, "done": Phase.COMPLETE}
    counted = QueueItem.objects.filter(plan__in=plans).values("plan_id").order_by()
    once_more = Count("pk", filter=Q(round__gt=1) & ~Q(phase=Phase.COMPLETE))
    counts = counted.annotate(**{name: Count("pk", filter=Q(phase=phase)) for name, phase in phases.items()}, once_more=once_more)
    reviews = Submission.objects.filter(reviewer=by.user_id, snapshot__item__plan__in=plans, round=F("snapshot__item__round"))
    mine = dict(reviews.values_list("snapshot__item__plan_id").annotate(Count("snapshot", distinct=True)).order_by())
    named = (*phases, "once_more")
    return {row["plan_id"]: PlanProgress(**{name: row[name] for name in named}, mine=mine.get(row["plan_id"], 0)) for row in counts}


def terms_in_words(plan: Plan) -> str:
    """Return what a plan asks of its reviewers."""
    people = "1 reviewer an answer" if plan.overlap == 1 else f"{plan.overlap} reviewers an answer"
    stream = f", {plan.stream}" if plan.stream != "none" else ""
    return f"{people}, {'blind' if plan.is_blind else 'open'}{stream}"


HIDDEN_WORDS = "shown to you once you have reviewed your answers of it"


def facts_of(plan: Plan, *, is_blind: bool = False, masks_keys: bool = False) -> list[tuple[str, str]]:
    """Return the terms of a plan, as pairs of a term and words.

    ``is_blind`` leaves out what would reveal what the engine says of its answers: the findings and figures by which they were added, and
    the seed. ``masks_keys`` masks names of sections and keys that are data, as for auditors from outside.
    """
    triggers = Triggers.read(plan.triggers)
    candidates = _mask_sections(plan.candidates) if masks_keys else plan.candidates
    called = [f"confidence below {triggers.below:.2f}"] if triggers.below is not None else []
    called += [f"{mask_path(name) if masks_keys else name} not found" for name in triggers.missing]
    called += [wording.GUARDRAILS.get(code, code).lower() for code in triggers.guardrails]
    facts = [
        ("out of", _known_from(candidates) if is_blind else from_in_words(candidates)),
        ("drawn", draw_in_words(plan)),
        ("later answers", HIDDEN_WORDS if is_blind else "; ".join(called) or "none"),
        ("reviews", terms_in_words(plan)),
        ("decided when", plan.get_rule_display().lower()),
        ("attention-check rows", f"{plan.control_share:.0%} of the rows" if plan.control_share else "none"),
        ("guide", "sha256:" + bytes(plan.guide.digest).hex()[:12] if plan.guide else "none"),
        ("due", date_format(plan.due_on, "j M Y") if plan.due_on else "no date"),
        ("seed", HIDDEN_WORDS if is_blind else plan.seed),
    ]
    return [(term, said) for term, said in facts if said]


def _mask_sections(candidates: Mapping[str, Any]) -> Mapping[str, Any]:
    facets = {kind: [*map(mask_key, found)] if kind == "section" else found for kind, found in candidates.get("facets", {}).items()}
    return {**candidates, "facets": facets}


def _known_from(candidates: Mapping[str, Any]) -> str:
    """Return the filter of the candidates without facets from the engine, in words that do not reveal whether there are any."""
    kept = {kind: values for kind, values in candidates.get("facets", {}).items() if not is_of_engine(kind)}
    known = {**candidates, "facets": kept}
    return f"{from_in_words(known) if kept or candidates.keys() - {'facets'} else 'what is to do'}; the rest {HIDDEN_WORDS}"


def from_in_words(candidates: Mapping[str, Any]) -> str:
    """Return the filter of a plan's candidates in words."""
    parts = [f"{kind} {' or '.join(value or 'not given' for value in values)}" for kind, values in candidates.get("facets", {}).items()]
    parts += [f"{term} {candidates[name]}" for name, term in (("since", "from"), ("until", "to")) if candidates.get(name)]
    return "; ".join(parts) or "everything to do"


def draw_in_words(plan: Plan) -> str:
    """Return how a plan draws its answers, in words."""
    if plan.draw == Draw.SHARE:
        return f"{plan.share:.1%}, at random"
    if plan.draw == Draw.NUMBER:
        return f"{plan.size}, at random"
    if plan.draw == Draw.STRATIFIED:
        return f"{plan.size}, evenly over method, field type and confidence"
    return plan.get_draw_display().lower()


def strata_of_plan(plan: Plan, *, masks_keys: bool) -> list[dict[str, Any]]:
    """Return the number of drawn items and the inclusion probability of each stratum.

    ``masks_keys`` masks keys that are data in the names of strata, which name the field that a trigger missed.
    """
    drawn = PlanItem.objects.filter(plan=plan).values("stratum", "probability").annotate(count=Count("id"))
    rows = list(drawn.order_by(F("count").desc(), "stratum"))
    missing = Triggers.read(plan.triggers).missing if masks_keys else ()
    told = {called_for(f"{name} not found"): called_for(f"{mask_path(name)} not found") for name in missing}
    return [row | {"stratum": told.get(row["stratum"], row["stratum"])} for row in rows]


def called_for(words: str) -> str:
    """Return the stratum of the answers that a trigger adds."""
    return f"called: {words}"


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A plan with something to do that the queue can be filtered by."""

    id: UUID
    name: str
    to_do: int
    conflicted: int
    is_chosen: bool


MOST_OFFERED = 200
"""The most plans that a page offers as a choice, beside those already chosen. The page of any plan leads to its own answers."""


def choices_of(organisation: Organisation, chosen: frozenset[UUID]) -> list[PlanChoice]:
    """Return the first ``MOST_OFFERED`` plans with something to do and the chosen ones, those that are due first at the top."""
    plans = _plans_to_choose(organisation.pk, chosen)
    return [PlanChoice(plan.id, plan.name, plan.to_do, plan.conflicted, plan.id in chosen) for plan in plans]


def _plans_to_choose(organisation_id: UUID, chosen: frozenset[UUID]) -> QuerySet[Plan, Any]:
    open_again = Exists(QueueItem.objects.filter(plan=OuterRef("pk")).exclude(phase=Phase.COMPLETE))
    due_first = (F("due_on").asc(nulls_last=True), "id")
    own = Plan.objects.filter(organisation=organisation_id)
    busy = own.filter(Q(state=PlanState.RUNNING) | Q(open_again, ended_at__isnull=False)).order_by(*due_first)
    plans = own.filter(Q(pk__in=busy.values("pk")[:MOST_OFFERED]) | Q(pk__in=chosen))
    counted = plans.annotate(
        to_do=Count("queued", filter=Q(queued__phase=Phase.INDEPENDENT)),
        conflicted=Count("queued", filter=Q(queued__phase=Phase.CONSOLIDATING)),
    )
    return counted.order_by(*due_first)
