"""Short jobs never wait for long ones: each kind has a queue, and each queue a worker."""

from __future__ import annotations

from procrastinate.contrib.django import app

from reviewers.web.jobs import LONG, MODEL, SHORT, TRACES, WEBHOOKS
from reviewers.web.management.commands.work import AT_ONCE

MAY_TAKE_LONG = {
    "reviewers.calibration.jobs.compare",
    "reviewers.calibration.jobs.fit",
    "reviewers.calibration.jobs.recompute",
    "reviewers.ledger.jobs.verify_ledger",
    "reviewers.reports.exports.actions.make_report",
    "reviewers.reports.exports.actions.pack_report",
}


def test_each_queue_has_a_worker():
    app.perform_import_paths()

    assert {task.queue for task in app.tasks.values() if task.name.startswith("reviewers.")} == AT_ONCE.keys()


def test_what_may_take_long_is_in_a_queue_of_its_own():
    app.perform_import_paths()

    assert {task.name for task in app.tasks.values() if task.queue == LONG} == MAY_TAKE_LONG
    assert all(each.task.queue == SHORT for each in app.periodic_registry.periodic_tasks.values())


def test_a_slow_model_keeps_no_report_and_no_verification_waiting():
    """A hundred requests of an organisation have the priority of a report, and each of them may take minutes."""
    app.perform_import_paths()

    assert {task.name for task in app.tasks.values() if task.queue == MODEL} == {
        "reviewers.calibration.jobs.judge",
        "reviewers.snapshots.jobs.judge_support",
        "reviewers.snapshots.jobs.look_for_citations",
    }


def test_freezing_what_programs_send_keeps_nobody_else_waiting():
    app.perform_import_paths()

    assert [task.name for task in app.tasks.values() if task.queue == TRACES] == ["reviewers.snapshots.otlp.jobs.freeze_traces"]


def test_slow_addresses_outside_keep_nobody_else_waiting():
    app.perform_import_paths()

    assert [task.name for task in app.tasks.values() if task.queue == WEBHOOKS] == ["reviewers.webhooks.jobs.send_due"]


def test_no_periodic_job_runs_twice_at_once():
    """Otherwise one that takes longer than its period would run in both places of its queue, and mail would wait for it.

    The job that takes up what a killed worker left has no lock: it could be what was left.
    """
    app.perform_import_paths()
    tasks = {each.task.name: each.task for each in app.periodic_registry.periodic_tasks.values()}

    without = {name for name, task in tasks.items() if task.lock is None or task.lock != task.queueing_lock}

    assert without & {name for name in tasks if name.startswith("reviewers.")} == {"reviewers.web.jobs.retry_stalled"}
