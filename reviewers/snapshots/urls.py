"""Addresses of the slice's pages; those of its interface for programs are in ``api``."""

from __future__ import annotations

from django.urls import path

from reviewers.snapshots import access

urlpatterns = [
    path("access/", access.accesses, name="accesses"),
    path("access/client/", access.search_client, name="search_client"),
]
