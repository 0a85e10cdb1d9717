"""Judgements by a model as tests bring them about: asked by freezing a record, run by the job's own function."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from django.test import override_settings
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts.models import Organisation
from reviewers.review.models import QueueItem
from reviewers.snapshots import jobs
from reviewers.snapshots.models import SupportRequest, SupportResult
from tests.factories import CITED, make_item
from tests.model_endpoint import KEY, NAME, Reply, saying, serving

FIRST = "Adults start with 2 mg in the evening, an hour before going to bed."
SECOND = "Whoever takes other medicines should ask first."
"""The sentences that the two citations of ``CITED`` rest on."""


def judging(verdict: str, sentence: str | None = "") -> Reply:
    """A model's judgement."""
    return saying(json.dumps({"verdict": verdict, "sentence": sentence}))


USUAL = (judging("contradicts", FIRST), judging("supports", SECOND))
"""Right judgements on the two citations of ``CITED``."""


def turn_on_judging(organisation: Organisation) -> None:
    """Have citations judged, whether or not this deployment has a model."""
    Organisation.objects.filter(pk=organisation.pk).update(judges_support=True)
    organisation.judges_support = True


def make_judged(organisation: Organisation, **changes: Any) -> QueueItem:
    """An answer with citations, frozen while the organisation has them judged, and judged."""
    turn_on_judging(organisation)
    item = make_item(organisation, **CITED | changes)
    run_judging()
    return item


def waiting() -> list[ProcrastinateJob]:
    return list(ProcrastinateJob.objects.filter(task_name=jobs.judge_support.name, status="todo").order_by("id"))


def run(job: ProcrastinateJob, attempts_before: int = 0) -> SupportResult | None:
    """Run one job as a worker does."""
    context = SimpleNamespace(job=SimpleNamespace(attempts=attempts_before))
    jobs.judge_support.func(context, **job.args)
    return SupportResult.objects.filter(request=job.args["request"]).first()


def run_judging(attempts_before: int = 0) -> SupportResult | None:
    """Run all jobs that wait for a request without a result; return the last result."""
    last = None
    for job in waiting():
        if SupportRequest.objects.filter(pk=job.args["request"], result=None).exists():
            last = run(job, attempts_before)
    return last


def judge_here(organisation: Organisation, *replies: Reply, **changes: Any) -> QueueItem:
    """An answer with citations that were judged by an endpoint of its own, with ``replies`` or the usual ones; judging is off again."""
    with serving(*(replies or USUAL)) as script:
        endpoint = {"MODEL_URL": script.url, "MODEL_NAME": NAME, "MODEL_KEY": KEY, "MODEL_TIMEOUT": 10}
        with override_settings(**endpoint):
            item = make_judged(organisation, **changes)
    Organisation.objects.filter(pk=organisation.pk).update(judges_support=False)
    organisation.judges_support = False
    return item
