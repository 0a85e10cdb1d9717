"""URLs of the pages of snapshots; those of the API are in ``api``."""

from __future__ import annotations

from django.urls import path

from reviewers.snapshots import access

urlpatterns = [
    path("access/", access.accesses, name="accesses"),
    path("access/client/", access.search_client, name="search_client"),
]
