"""URLs of webhooks."""

from __future__ import annotations

from django.urls import path

from reviewers.webhooks import views

urlpatterns = [
    path("mail/", views.mail, name="mail"),
    path("mail/choose/", views.choose_mail, name="choose_mail"),
    path("settings/webhooks/", views.endpoints, name="endpoints"),
    path("settings/webhooks/add/", views.add, name="add_endpoint"),
    path("settings/webhooks/<uuid:endpoint_id>/", views.deliveries, name="endpoint"),
    path("settings/webhooks/<uuid:endpoint_id>/switch/", views.switch, name="switch_endpoint"),
    path("settings/webhooks/deliveries/<uuid:delivery_id>/again/", views.send_again, name="send_again"),
]
