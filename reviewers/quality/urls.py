"""URLs of the quality page."""

from __future__ import annotations

from django.urls import path

from reviewers.quality import views

urlpatterns = [
    path("quality/", views.show, name="quality"),
    path("lead/", views.show_lead, name="lead"),
    path("quality/alarms/<uuid:alarm_id>/acknowledge/", views.acknowledge, name="acknowledge_alarm"),
]
