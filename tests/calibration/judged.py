"""Answers that a judge is asked about, without any endpoint."""

from __future__ import annotations

from contextlib import contextmanager

from django.test import override_settings

from reviewers.accounts.models import Membership
from reviewers.calibration.judge import actions
from reviewers.calibration.models import JudgeRun
from reviewers.review.models import Plan
from reviewers.review.plans.actions import stop_plan
from tests.calibration.labelled import risky
from tests.factories import NOW, make_item
from tests.review.plans.planning import run_plan


def make_plan_over(lead: Membership, answers: int = 2, model: str = "judged") -> Plan:
    """A blind plan over some answers that was stopped before anybody reviewed any."""
    for number in range(answers):
        make_item(lead.organisation, model=model, conversation_id=f"judged {number}", **risky(2))
    plan = run_plan(lead, overlap=1, is_blind=True, stream="audit", candidates={"facets": {"model": [model]}})
    return stop_plan(plan_id=plan.pk, by=lead, now=NOW)


@contextmanager
def set_up():
    """A deployment that has a judge, which nobody listens for."""
    with override_settings(MODEL_JUDGES=True, MODEL_URL="http://127.0.0.1:9/v1", MODEL_NAME="careful-1"):
        yield


def make_run(lead: Membership, plan: Plan | None = None) -> JudgeRun:
    """It was asked, and waits for the worker."""
    with set_up():
        return actions.ask_run(plan_id=(plan or make_plan_over(lead)).pk, by=lead, now=NOW)


def label_one(run: JudgeRun) -> None:
    """As if the endpoint had answered for the next answer."""
    item = actions._answers(run.plan_id).order_by("pk").first()
    text, rows = actions._read(item)
    assert text
    actions._keep(run, item, rows, actions.JudgeReply([True] * len(rows), 900, 60), NOW)
