"""URLs of the pages of snapshots; those of the API are in ``api``."""

from __future__ import annotations

from django.urls import path

from reviewers.snapshots import access
from reviewers.snapshots.otlp import views as otlp_views
from reviewers.snapshots.schemas import views as schema_views
from reviewers.snapshots.trust import views as trust_views

urlpatterns = [
    path("access/", access.accesses, name="accesses"),
    path("access/client/", access.search_client, name="search_client"),
    path("settings/schemas/", schema_views.schemas, name="schemas"),
    path("settings/schemas/upload/", schema_views.upload, name="upload_schema"),
    path("settings/schemas/<uuid:schema_id>/", schema_views.schema, name="schema"),
    path("settings/schemas/<uuid:schema_id>/download/", schema_views.download, name="download_schema"),
    path("settings/schemas/<uuid:schema_id>/propose/", schema_views.propose, name="propose_schema"),
    path("settings/schemas/<uuid:schema_id>/approve/", schema_views.approve, name="approve_schema"),
    path("settings/schemas/<uuid:schema_id>/decline/", schema_views.decline, name="decline_schema"),
    path("settings/trust/", trust_views.tables, name="trust_tables"),
    path("settings/trust/write/", trust_views.write, name="write_trust_table"),
    path("settings/trust/<uuid:table_id>/", trust_views.table, name="trust_table"),
    path("settings/trust/<uuid:table_id>/download/", trust_views.download, name="download_trust_table"),
    path("settings/trust/<uuid:table_id>/propose/", trust_views.propose, name="propose_trust_table"),
    path("settings/trust/<uuid:table_id>/approve/", trust_views.approve, name="approve_trust_table"),
    path("settings/trust/<uuid:table_id>/decline/", trust_views.decline, name="decline_trust_table"),
    path("settings/traces/", otlp_views.traces, name="traces"),
]
