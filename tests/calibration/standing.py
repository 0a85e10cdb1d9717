"""Profiles in every state, cheaply: fitted to labels that are made up. For tests that need one and not how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import uuid4

from attribution import DEFAULT_PROFILE, calibrated
from attribution.calibration import Observation, Record, Scope, label_set
from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.accounts.queries import list_organisation_ids
from reviewers.calibration import shadow
from reviewers.calibration.combinations import key_of, scope_of
from reviewers.calibration.fitting import FittedProfile, fit_profile
from reviewers.calibration.labels.dataset import Dataset
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.lifecycle.actions import ask_proposal
from reviewers.calibration.lifecycle.active_profiles import ask_recomputation, lift_suspension, recompute_piece, suspend
from reviewers.calibration.models import CalibrationProfile, Recomputation, SeenCombination
from reviewers.review.models import QueueItem, Verdict
from reviewers.web.tenancy import tenant
from tests.calibration.imported import bring, lines, turn
from tests.calibration.judged import label_one, make_plan_over, make_run
from tests.calibration.labelled import combination_of, compare, make_answer, review_as, risky
from tests.factories import NOW, make_item, make_member, make_organisation

FEW, MANY = 120, 125
TRANSFERRED = 60


def made_up(seen: SeenCombination, count: int) -> Dataset:
    """Labels on a rule that is right four times in five."""
    return _labels(scope_of(seen), count)


def _labels(scope: Scope, count: int) -> Dataset:
    observations = [
        Observation(
            id=f"label {number}",
            message=f"message {number % 30}",
            conversation=f"talk {number % 30}",
            section="safety",
            path=f"level_{number % 15}",
            field_type="enum",
            method="enum",
            rule="whole_word",
            score=0.95,
            uncapped_score=0.95,
            is_used=(7 * number + number // 30) % 5 != 0,
            scope=scope,
        )
        for number in range(count)
    ]
    return Dataset(observations, {}, {})


def fitted_to(gathered: Dataset, scope: Scope, count: int, parent: str | None) -> FittedProfile:
    """Fit like ``fit_profile``, except that the random part of the evaluation is drawn once for all organisations."""
    fitted = _fit(replace(scope, organisation=""), count)
    own = Record(scope=scope, calibrator=fitted.calibrator, labels=label_set(gathered.observations), parent=parent)
    record = fitted.record | {key: value for key, value in own.document().items() if key in ("scope", "labels", "parent")}
    return FittedProfile(fitted.calibrator, own.labels, record, calibrated(DEFAULT_PROFILE, record))


@cache
def _fit(scope: Scope, count: int) -> FittedProfile:
    return fit_profile(_labels(scope, count), scope, None)


def half_right(number: int, path: str) -> Verdict:
    """Three in five of the visits are right."""
    return Verdict.WRONG if (int(path.split(".")[1]) + number) % 5 < 2 else Verdict.CORRECT


def propose(item: QueueItem, by: Membership, count: int = FEW) -> CalibrationProfile:
    """A proposal for an item's combination, compared with what is active."""
    seen = combination_of(item)
    gathered, scope, parent = made_up(seen, count), scope_of(seen), seen.active
    fitted = fitted_to(gathered, scope, count, parent.name if parent else None)
    profile = actions.propose_fitted(seen=seen, gathered=gathered, fitted=fitted, parent=parent, by=by, now=NOW)
    compare(profile)
    return profile


def approve(profile: CalibrationProfile, by: Membership) -> CalibrationProfile:
    comparison = shadow.newest_comparison(profile)
    assert comparison
    return actions.approve(profile_id=profile.pk, changed=comparison.changed_count, by=by, now=NOW)


def reject(profile: CalibrationProfile, by: Membership) -> CalibrationProfile:
    return actions.reject(profile_id=profile.pk, reason="too few conversations", by=by, now=NOW)


def recompute_all() -> None:
    """As the worker does, in every organisation."""
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            for each in Recomputation.objects.filter(finished_at=None):
                while recompute_piece(recomputation_id=each.pk, now=NOW):
                    pass


def fill_one() -> None:
    """Whatever no request of a page does, in an organisation of its own."""
    organisation = make_organisation("Filled Clinic")
    with tenant.within(organisation.pk):
        Standing(organisation).fill()


@dataclass
class Standing:
    """A combination with an active profile, one that is proposed, and labels enough for another."""

    organisation: Organisation
    model: str = "calibrated"
    schema: str = ""
    lead: Membership = field(init=False)
    item: QueueItem = field(init=False)
    active: CalibrationProfile = field(init=False)
    proposed: CalibrationProfile = field(init=False)

    def __post_init__(self) -> None:
        self.lead = make_member(self.organisation, Role.LEAD, "Lena Lind")
        names = {"schema_version": self.schema} if self.schema else {}
        self.item = make_item(self.organisation, model=self.model, **names)
        self.active = approve(propose(self.item, self.lead), make_member(self.organisation, Role.LEAD, "Lasse Lowe"))
        self.proposed = propose(self.item, self.lead, MANY)

    def label_enough(self) -> None:
        """So that a profile can be proposed."""
        reviewer = make_member(self.organisation, Role.REVIEWER, "Rhea Roth")
        levels = {f"level_{number}": f"Level {number}" for number in range(110)}
        response = " ".join(f"{value} is reached." for value in levels.values())
        item = make_answer(reviewer, model=self.model, response=response, context={"safety": levels})
        review_as(item, reviewer, judge=lambda _number, _path: Verdict.CORRECT)

    def retire(self) -> None:
        """The active one."""
        actions.retire(profile_id=self.active.pk, reason="precision fell", by=self.lead, now=NOW)

    def recompute(self) -> Recomputation:
        """Ask that stored answers are attributed again."""
        return ask_recomputation(profile_id=self.active.pk, by=self.lead, now=NOW)

    def make_transferable(self, answers: int = 1) -> dict[str, Any]:
        """Another combination whose labels are on a rule that the active profile knows."""
        reviewer = make_member(self.organisation, Role.REVIEWER, "Rory Rush")
        for number in range(answers):
            item = make_answer(reviewer, number, model="after a change", **risky(TRANSFERRED // answers))
            review_as(item, reviewer, number, half_right)
        return {"profile_id": self.active.pk, "combination_id": combination_of(item).pk}

    def suspend(self) -> None:
        """The active one, as an alarm does."""
        because = "Audit labels were right less often than it says."
        seen = key_of(self.active.combination)
        suspend(organisation_id=self.organisation.pk, combination=seen, alarm=uuid4(), because=because, now=NOW)

    def fill(self) -> None:
        """One of everything else."""
        bring(self.organisation, lines(turn(model=self.model)), f"the fair of {self.model}")
        ask_proposal(combination_id=self.active.combination_id, by=self.lead, now=NOW, imports=[])
        run = make_run(self.lead, make_plan_over(self.lead, model=f"judged {self.model}"))
        label_one(run)
        self.suspend()
        lift_suspension(profile_id=self.active.pk, reason=f"{self.model} was looked at", by=self.lead, now=NOW)

    def ids_for(self, name: str) -> dict[str, Any]:
        """Return the identifiers that an address's path takes, such that the request succeeds."""
        profile = self.active if name in ("retire_profile", "recompute", "suspend_profile", "lift_suspension") else self.proposed
        return {"profile_id": profile.pk, "combination_id": profile.combination_id, "number": 0}


ADDRESSES = frozenset(
    {
        *("calibration", "combination", "thresholds", "planner", "propose_profile", "profile", "profile_node", "profile_changes"),
        *("compare_profile", "approve_profile", "reject_profile", "retire_profile", "recompute", "export_labels"),
        *("imports", "import_labels", "suspend_profile", "lift_suspension", "transfer_profile"),
    }
)
"""Addresses of the slice."""
