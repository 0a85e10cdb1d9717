"""Views of the queue that somebody saved."""

from __future__ import annotations

from reviewers.accounts.models import Membership
from reviewers.review.models import SavedView
from reviewers.review.queue.saved_views import save_view
from tests.factories import NOW


def make_view(by: Membership, name: str = "Model a", query: str = "state=all&model=model-a", *, is_shared: bool = False) -> SavedView:
    """A view that a member saved."""
    return save_view(name=name, query=query, is_shared=is_shared, by=by, now=NOW)
