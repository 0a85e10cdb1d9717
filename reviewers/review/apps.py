"""The Django app of the slice."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """The queue, leases, the review page and labels."""

    name = "reviewers.review"
    verbose_name = "Review"

    def ready(self) -> None:
        """Connect the receiver of sign-outs, and fill the hooks of accounts, the ledger and snapshots."""
        from reviewers.accounts.hooks import announcement_listeners, waiting_counters  # noqa: PLC0415 — models are not loaded before
        from reviewers.ledger.hooks import (  # noqa: PLC0415 — as above
            hidden_event_checks,
            hidden_event_conditions,
            hiding_checks,
            verification_checks,
        )
        from reviewers.review import receivers, verification  # noqa: PLC0415 — as above
        from reviewers.review.inbox import count_elsewhere  # noqa: PLC0415 — as above
        from reviewers.snapshots.hooks import repeating_checks, response_additions, withheld_checks  # noqa: PLC0415 — as above

        announcement_listeners.append(receivers.take_leases_away)
        waiting_counters.append(count_elsewhere)
        hidden_event_checks.append(receivers.hidden_from)
        hidden_event_conditions.append(receivers.most_hidden_from)
        hiding_checks.append(receivers.hides_anything_from)
        withheld_checks.append((receivers.BLIND_REVIEW_REASON, receivers.hidden_from_programs))
        repeating_checks.append(receivers.has_hidden_turn)
        response_additions.append(("signatures", receivers.signatures_in_answer))
        verification_checks += [
            verification.check_queue,
            verification.check_phases,
            verification.check_signatures,
            verification.check_proofs,
        ]
