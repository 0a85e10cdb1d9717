"""The receipt of an item's review."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger.receipts import find_milestone
from reviewers.ledger.views import as_file
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_work_from, viewer_of


@require_GET
@requires(Permission.READ_ITEMS)
def receipt(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """What shows that the review was submitted and sealed; before it is submitted, that the record was frozen.

    In a blind review that others have submitted or signed is not told by a receipt either.
    """
    is_hidden = QueueItem.objects.filter(hides_work_from(viewer_of(request.member)), pk=item_id).exists()
    found = find_milestone(request.member.organisation_id, item_id, [request.member.user_id] if is_hidden else None)
    if found is None:
        raise Http404
    return as_file(request, found)
