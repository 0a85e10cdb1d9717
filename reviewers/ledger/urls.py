"""URLs of the ledger."""

from __future__ import annotations

from django.urls import path

from reviewers.ledger import views

urlpatterns = [
    path("ledger/", views.show, name="ledger"),
    path("ledger/verify/", views.verify, name="verify_ledger"),
    path("ledger/events/<uuid:event_id>/", views.event, name="event"),
    path("ledger/events/<uuid:event_id>/receipt/", views.receipt, name="event_receipt"),
]
