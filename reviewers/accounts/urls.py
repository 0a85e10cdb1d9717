"""Addresses of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.accounts import views

urlpatterns = [
    path("", views.home, name="home"),
    path("coordinator/", views.coordinator, name="coordinator"),
    path("settings/", views.settings, name="settings"),
    path("settings/citations/", views.switch_citations, name="switch_citations"),
    path("settings/second-factor/", views.switch_second_factor, name="switch_second_factor"),
    path("settings/keys/", views.create_key, name="create_key"),
    path("settings/keys/<uuid:key_id>/revoke/", views.revoke_key, name="revoke_key"),
]
