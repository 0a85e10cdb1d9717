"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path

from reviewers.api import api, reference
from reviewers.web.health import health

urlpatterns = [
    path("health/", health, name="health"),
    path("api/v1/", api.urls),
    path("api/", reference, name="api_reference"),
    path("accounts/", include("reviewers.accounts.signin_urls")),
    path("", include("reviewers.accounts.urls")),
    path("", include("reviewers.ledger.urls")),
    path("", include("reviewers.snapshots.urls")),
    path("", include("reviewers.review.urls")),
    path("", include("reviewers.calibration.urls")),
    path("", include("reviewers.quality.urls")),
    path("", include("reviewers.reports.urls")),
]

handler400 = "reviewers.web.errors.bad_request"
handler403 = "reviewers.web.errors.forbidden"
handler404 = "reviewers.web.errors.not_found"
handler429 = "reviewers.web.errors.too_many"  # asked for by the sign-in package
handler500 = "reviewers.web.errors.server_error"
