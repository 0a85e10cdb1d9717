"""URLs of calibration."""

from __future__ import annotations

from django.urls import path

from reviewers.calibration import views
from reviewers.calibration.judge import views as judge_views
from reviewers.calibration.labels import views as label_views

urlpatterns = [
    path("calibration/", views.overview, name="calibration"),
    path("calibration/<uuid:combination_id>/", views.combination, name="combination"),
    path("calibration/<uuid:combination_id>/thresholds/", views.thresholds, name="thresholds"),
    path("calibration/<uuid:combination_id>/planner/", views.planner, name="planner"),
    path("calibration/<uuid:combination_id>/propose/", views.propose, name="propose_profile"),
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
    path("calibration/<uuid:combination_id>/transfer/", views.transfer, name="transfer_profile"),
    path("calibration/judge/", judge_views.judges, name="judges"),
    path("calibration/judge/ask/", judge_views.ask, name="ask_judge"),
    path("calibration/judge/<uuid:run_id>/", judge_views.judge, name="judge"),
    path("calibration/judge/<uuid:run_id>/stop/", judge_views.stop, name="stop_judge"),
    path("calibration/imports/", label_views.imports, name="imports"),
    path("calibration/imports/bring/", label_views.upload_labels, name="import_labels"),
]
