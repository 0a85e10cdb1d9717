"""The URLs of the site."""

from __future__ import annotations

from django.urls import include, path

from reviewers.api import api, document, reference, traces
from reviewers.quality.metrics import metrics
from reviewers.web.http.responses import live, ready

urlpatterns = [
    path("health/", ready, name="health"),
    path("health/live", live, name="live"),
    path("health/ready", ready, name="ready"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/openapi.json", document, name="openapi-json"),
    path("api/v1/", api.urls),
    path("v1/traces", traces, name="traces_of_exporters"),
    path("api/", reference, name="api_reference"),
    path("accounts/", include("reviewers.accounts.sign_in.urls")),
    path("", include("reviewers.accounts.urls")),
    path("", include("reviewers.ledger.urls")),
    path("", include("reviewers.snapshots.urls")),
    path("", include("reviewers.review.urls")),
    path("", include("reviewers.calibration.urls")),
    path("", include("reviewers.quality.urls")),
    path("", include("reviewers.reports.urls")),
    path("", include("reviewers.webhooks.urls")),
]

handler400 = "reviewers.web.http.responses.bad_request"
handler403 = "reviewers.web.http.responses.forbidden"
handler404 = "reviewers.web.http.responses.not_found"
handler429 = "reviewers.web.http.responses.too_many"  # asked for by the sign-in package
handler500 = "reviewers.web.http.responses.server_error"
