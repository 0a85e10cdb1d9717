"""Addresses of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.calibration import views
from reviewers.calibration import views as combination_views
from reviewers.calibration.judge import views as judging
from reviewers.calibration.labels import views as importing

urlpatterns = [
    path("calibration/", combination_views.overview, name="calibration"),
    path("calibration/<uuid:combination_id>/", combination_views.combination, name="combination"),
    path("calibration/<uuid:combination_id>/thresholds/", combination_views.thresholds, name="thresholds"),
    path("calibration/<uuid:combination_id>/planner/", combination_views.planner, name="planner"),
    path("calibration/<uuid:combination_id>/propose/", combination_views.propose, name="propose_profile"),
    path("calibration/profiles/<uuid:profile_id>/", views.profile, name="profile"),
    path("calibration/profiles/<uuid:profile_id>/nodes/<int:number>/", views.node, name="profile_node"),
    path("calibration/profiles/<uuid:profile_id>/changes/", views.changes, name="profile_changes"),
    path("calibration/profiles/<uuid:profile_id>/compare/", views.compare, name="compare_profile"),
    path("calibration/profiles/<uuid:profile_id>/approve/", views.approve, name="approve_profile"),
    path("calibration/profiles/<uuid:profile_id>/reject/", views.reject, name="reject_profile"),
    path("calibration/profiles/<uuid:profile_id>/retire/", views.retire, name="retire_profile"),
    path("calibration/profiles/<uuid:profile_id>/recompute/", views.recompute, name="recompute"),
    path("calibration/profiles/<uuid:profile_id>/labels/", views.export_labels, name="export_labels"),
    path("calibration/profiles/<uuid:profile_id>/suspend/", views.suspend, name="suspend_profile"),
    path("calibration/profiles/<uuid:profile_id>/lift/", views.lift, name="lift_suspension"),
    path("calibration/<uuid:combination_id>/transfer/", combination_views.transfer, name="transfer_profile"),
    path("calibration/judge/", judging.judges, name="judges"),
    path("calibration/judge/ask/", judging.ask, name="ask_judge"),
    path("calibration/judge/<uuid:run_id>/", judging.judge, name="judge"),
    path("calibration/judge/<uuid:run_id>/stop/", judging.stop, name="stop_judge"),
    path("calibration/imports/", importing.imports, name="imports"),
    path("calibration/imports/bring/", importing.upload_labels, name="import_labels"),
]
