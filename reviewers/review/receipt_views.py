"""The receipt of an item's review."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger.receipts import find_milestone
from reviewers.ledger.views import as_file


@require_GET
@requires(Permission.READ_ITEMS)
def receipt(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """What shows that the review was submitted and sealed; before it is submitted, that the record was frozen."""
    found = find_milestone(request.member.organisation_id, item_id)
    if found is None:
        raise Http404
    return as_file(request, found)
