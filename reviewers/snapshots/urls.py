"""URLs of the pages of snapshots; those of the API are in ``api``."""

from __future__ import annotations

from django.urls import path

from reviewers.snapshots import access_log
from reviewers.snapshots.otlp import views as otlp_views
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import TRUST_TABLES
from reviewers.snapshots.versions.views import addresses

urlpatterns = [
    path("access/", access_log.accesses, name="accesses"),
    path("access/client/", access_log.search_client, name="search_client"),
    *addresses(SCHEMAS),
    *addresses(TRUST_TABLES),
    path("settings/traces/", otlp_views.traces, name="traces"),
]
