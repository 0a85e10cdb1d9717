"""Addresses of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.reports import views

urlpatterns = [
    path("why/", views.suggestions, name="suggestions"),
    path("why/search/", views.search, name="search_suggestions"),
    path("why/<uuid:item_id>/", views.why, name="why"),
    path("why/<uuid:item_id>/reason/", views.explain, name="explain_why"),
    path("why/<uuid:item_id>/compare/", views.compare, name="compare"),
]
