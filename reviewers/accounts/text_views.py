"""The page that says who is shown which kind of text where."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from reviewers.accounts import texts as matrix
from reviewers.accounts.permissions import MemberRequest, Permission, requires


@require_GET
@requires(Permission.READ_ACCESS)
def texts(request: MemberRequest) -> HttpResponse:
    """The table that every page and file asks."""
    rows = [
        (surface.value, [(viewer.value, texts is not None, matrix.words_of(surface, viewer, texts)) for viewer, texts in cells])
        for surface, cells in matrix.table()
    ]
    context = {
        "rows": rows,
        "viewers": [viewer.value for viewer in matrix.Viewer],
        "kinds": [(each.name.lower(), each.value) for each in matrix.Text],
    }
    return render(request, "accounts/texts.html", context)
