"""URLs of suggestions and exports."""

from __future__ import annotations

from django.urls import path

from reviewers.reports.exports import views as export_views
from reviewers.reports.why import views

urlpatterns = [
    path("why/", views.suggestions, name="suggestions"),
    path("why/search/", views.search, name="search_suggestions"),
    path("why/<uuid:item_id>/", views.why, name="why"),
    path("why/<uuid:item_id>/reason/", views.explain, name="explain_why"),
    path("why/<uuid:item_id>/compare/", views.compare, name="compare"),
    path("exports/", export_views.exports, name="exports"),
    path("exports/search/", export_views.search_exports, name="search_exports"),
    path("exports/new/", export_views.new, name="new_export"),
    path("exports/create/", export_views.create, name="create_export"),
    path("exports/<uuid:export_id>/", export_views.show, name="export"),
    path("exports/<uuid:export_id>/file/", export_views.take, name="export_file"),
]
