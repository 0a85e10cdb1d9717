"""Background jobs of the quality page: fold deltas into day totals, and feed the watches."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.jobs import in_each_organisation
from reviewers.quality.models import FIGURES
from reviewers.quality.watches import update_precision_watches, update_watches
from reviewers.web.statements import read_rows
from reviewers.web.tenancy import tenant

_AT_ONCE = 20_000

_FOLD = f"""
WITH taken AS (
    DELETE FROM quality_delta WHERE id IN (
        SELECT id FROM quality_delta WHERE organisation_id = %(organisation)s ORDER BY id LIMIT {_AT_ONCE} FOR UPDATE SKIP LOCKED
    ) RETURNING *
), kept AS (
    INSERT INTO quality_daytotal AS total (organisation_id, section, day, model, prompt_version, {", ".join(FIGURES)})
    SELECT organisation_id, section, day, model, prompt_version, {", ".join(f"sum({name})" for name in FIGURES)}
    FROM taken GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (organisation_id, section, day, model, prompt_version)
    DO UPDATE SET {", ".join(f"{name} = total.{name} + excluded.{name}" for name in FIGURES)}
)
SELECT count(*) FROM taken
"""  # noqa: S608 — column names of our own


def fold() -> int:
    """Fold the deltas of the current organisation and return their number.

    Several workers may fold at once: each takes deltas that no other worker has locked.
    """
    folded = 0
    while taken := _fold_some():
        folded += taken
        if taken < _AT_ONCE:
            break
    return folded


@transaction.atomic
def _fold_some() -> int:
    ((taken,),) = read_rows(_FOLD, {"organisation": tenant.current()})
    return int(taken)


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="fold_quality", lock="fold_quality")
def fold_quality(timestamp: int) -> None:
    """Fold the deltas of every organisation, so that pages have less to add."""
    del timestamp
    in_each_organisation(lambda _: fold())


@app.periodic(cron="*/10 * * * *")
@app.task(queueing_lock="watch_quality", lock="watch_quality")
def watch_quality(timestamp: int) -> None:
    """Feed the watches with the days that are over and with their audit labels."""
    del timestamp
    in_each_organisation(_watch)


def _watch(organisation_id: UUID) -> None:
    update_watches(organisation_id=organisation_id, now=timezone.now())
    update_precision_watches(organisation_id=organisation_id, now=timezone.now())
