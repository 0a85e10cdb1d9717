"""Measure the order by risk, and the counts of saved views by signatures: ``python -m benchmarks.queue COUNT``.

Writes so many items straight into a database of its own, without triggers, foreign keys and snapshots. One in twenty of those to do
contradicts its record, one has a low confidence and one is red; half of all are reviewed and signed, every tenth of these with a label
since. The plan of each page, and its time, are PostgreSQL's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.db.backends.utils import CursorWrapper
    from django.db.models import QuerySet

_USUAL = 100_000
_TIMES = 5
_TABLES = ("review_queueitem", "review_submission", "review_label", "review_signature")
_KEYS = "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass"
_ITEMS = """
INSERT INTO review_queueitem (snapshot_id, organisation_id, attribution_id, answered_at, state, phase, facets, found_count, skip_reason,
    submitted_by_id, submitted_at)
SELECT gen_random_uuid(), %(organisation)s, gen_random_uuid(), now() - n * interval '1 minute',
    CASE WHEN n %% 2 = 0 THEN 'submitted' ELSE 'to_do' END, CASE WHEN n %% 2 = 0 THEN 'complete' ELSE 'independent' END,
    ARRAY['model:one', 'prompt:two', 'source:mixed', 'section:safety', 'section:provider_genome', CASE n %% 40
        WHEN 1 THEN 'guardrail:contradicted' WHEN 3 THEN 'confidence:low' WHEN 5 THEN 'validity:red' ELSE 'validity:green' END],
    6, '', CASE WHEN n %% 2 = 0 THEN %(reviewer)s::uuid END, CASE WHEN n %% 2 = 0 THEN now() END
FROM generate_series(1, %(count)s) AS n
"""
_REVIEWS = """
INSERT INTO review_submission (id, organisation_id, snapshot_id, reviewer_id, slot, round, submitted_at, label_count, digest)
SELECT gen_random_uuid(), organisation_id, snapshot_id, submitted_by_id, 1, 1, submitted_at, 1, sha256('')
FROM review_queueitem WHERE state = 'submitted'
"""
_LABELS = """
INSERT INTO review_label (id, organisation_id, snapshot_id, reviewer_id, section, path, verdict, truth, is_misstated, note, reason, shown,
    action_id, created_at)
SELECT gen_random_uuid(), organisation_id, snapshot_id, reviewer_id, 'safety', 'risk_level', 'correct', 'used', false, '', '', '{}',
    gen_random_uuid(), now()
FROM review_submission, generate_series(1, 6 + (get_byte(uuid_send(snapshot_id), 0) %% 10 = 0)::int)
"""
_SIGNATURES = """
INSERT INTO review_signature (id, organisation_id, signer_id, printed_name, meaning, signed_at, zone, object_type, object_id, review_id,
    attribution_id, label_count, statement, digest)
SELECT gen_random_uuid(), review.organisation_id, reviewer_id, 'A name', 'reviewed', now(), 'UTC', 'review', review.id, review.id,
    attribution_id, 6, '\\x00', sha256(uuid_send(review.id))
FROM review_submission AS review JOIN review_queueitem USING (snapshot_id)
"""


def main(arguments: list[str]) -> int:
    """Measure in a database of its own, and print a line for each figure."""
    if arguments[:1] == ["measure"]:
        measure(int(arguments[1]))
        return 0
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DATABASE_")}
        environment |= {"FOOTNOTE_VAR": folder, "DJANGO_SETTINGS_MODULE": "reviewers.settings", "FOOTNOTE_LOG_LEVEL": "ERROR"}
        count = arguments[0] if arguments else str(_USUAL)
        subprocess.run([sys.executable, "-m", "benchmarks.queue", "measure", count], env=environment, check=True)  # noqa: S603 — our own
    return 0


def measure(count: int) -> None:
    """Write the items, and measure."""
    import django  # noqa: PLC0415 — the environment comes first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 — the same
    from django.db import connection, connections, transaction  # noqa: PLC0415 — the same
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.accounts.actions import add_member, create_organisation  # noqa: PLC0415 — the same
    from reviewers.accounts.models import Role, User  # noqa: PLC0415 — the same
    from reviewers.web.config import OWNER  # noqa: PLC0415 — the same
    from reviewers.web.tenancy import tenant  # noqa: PLC0415 — the same

    call_command("migrate", verbosity=0)
    organisation = create_organisation(slug="measured", name="Measured", at=timezone.now())
    with tenant.within(organisation.pk):
        user = User.objects.create_user(email="one@example.org", name="One")
        reviewer = add_member(organisation=organisation, user=user, role=Role.REVIEWER, at=timezone.now())
    with connections[OWNER].cursor() as cursor, transaction.atomic(using=OWNER):
        for table in _TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(_KEYS, [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}" CASCADE')
        told: dict[str, Any] = {"organisation": organisation.pk, "reviewer": reviewer.user_id, "count": count}
        cursor.execute("SELECT set_config('footnote.organisation', %s, true)", [str(organisation.pk)])
        for statement in (_ITEMS, _REVIEWS, _LABELS, _SIGNATURES):
            cursor.execute(statement, told)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # which the server does by itself soon after
    with tenant.within(organisation.pk), transaction.atomic(), connection.cursor() as cursor:
        _explain_pages(cursor, reviewer)
        _count_views(reviewer)


def _explain_pages(cursor: CursorWrapper, by: Any) -> None:
    """Print the time and the index of a page of the order by risk: the first, one far behind it, and one going back."""
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.review.models import QueueItem  # noqa: PLC0415 — the same
    from reviewers.review.queue.filters import Filter, in_states, matching, visible_to  # noqa: PLC0415 — the same
    from reviewers.review.queue.order import Order, RowKey, in_order, rank_of  # noqa: PLC0415 — the same
    from reviewers.review.queue.queries import PAGE_SIZE  # noqa: PLC0415 — the same
    from reviewers.review.visibility import viewer_of  # noqa: PLC0415 — the same

    chosen = Filter(states=frozenset({"to_do"}), order=Order.RISK)
    items = in_states(visible_to(matching(by.organisation, chosen), chosen, viewer_of(by)), chosen.states, timezone.now())
    ranks: dict[int, int] = {}
    for facets in QueueItem.objects.filter(organisation=by.organisation, state="to_do").values_list("facets", flat=True):
        ranks[rank_of(facets)] = ranks.get(rank_of(facets), 0) + 1
    _tell(f"items to do by rank: {dict(sorted(ranks.items()))}")
    ordered = in_order(items, None, Order.RISK, forwards=True)
    count = ordered.count()
    keys: dict[str, RowKey | None] = {"first page": None}
    for name, place in (("first of low confidence", ranks[0]), ("page in the middle", count // 2), ("last page", count - PAGE_SIZE)):
        row = ordered[place]
        keys[name] = RowKey(rank_of(row.facets), row.answered_at, row.pk)
    for name, key in keys.items():
        for forwards in (True, False) if key else (True,):
            page = in_order(items, key, Order.RISK, forwards=forwards).values_list("pk")[: PAGE_SIZE + 1]
            _tell(f"{name}, {'forwards' if forwards else 'back'}: {_explained(cursor, page)}")


def _explained(cursor: CursorWrapper, page: QuerySet[Any, Any]) -> str:
    """Return the median of the execution times, and the indexes that the plan reads."""
    sql, values = page.query.sql_with_params()
    times, plan = [], {}
    for _ in range(_TIMES):
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values)
        (explained,) = cursor.fetchone()
        plan = (json.loads(explained) if isinstance(explained, str) else explained)[0]
        times.append(plan["Execution Time"])
    return f"{sorted(times)[_TIMES // 2]:.2f} ms, {', '.join(_nodes(plan['Plan']))}"


def _nodes(plan: dict[str, Any]) -> list[str]:
    name = " ".join(filter(None, (plan["Node Type"], plan.get("Index Name"))))
    return [name, *(each for part in plan.get("Plans", ()) for each in _nodes(part))]


def _count_views(by: Any) -> None:
    """Print how long the counts of saved views take: of one by each state of signatures, and of twelve."""
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.review.queue.counts import count_each  # noqa: PLC0415 — the same
    from reviewers.review.queue.filters import CHOICES, Filter  # noqa: PLC0415 — the same
    from reviewers.review.visibility import viewer_of  # noqa: PLC0415 — the same

    kinds = [Filter(states=frozenset({"to_do", "submitted"}), signed=frozenset({name})) for name, _ in CHOICES]
    plain = Filter(states=frozenset({"to_do"}))
    for name, views in (("none by signatures", [plain]), *((next(iter(each.signed)), [each]) for each in kinds), ("twelve", kinds * 4)):
        times = []
        for _ in range(_TIMES):
            begun = time.perf_counter()
            found = count_each(by.organisation, views, viewer_of(by), timezone.now())
            times.append(1_000 * (time.perf_counter() - begun))
        _tell(f"counts of views, {name}: {sorted(times)[_TIMES // 2]:.1f} ms, {found}")


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
