"""Addresses of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.review import queue_views, views

urlpatterns = [
    path("queue/", queue_views.show, name="queue"),
    path("queue/search/", queue_views.search, name="search"),
    path("queue/next/", queue_views.take_next, name="take_next"),
    path("items/<uuid:item_id>/", views.item, name="item"),
    path("items/<uuid:item_id>/unfound/", views.unfound, name="unfound"),
    path("items/<uuid:item_id>/record/", views.frozen_record, name="record"),
    path("items/<uuid:item_id>/previous/", views.neighbour, {"direction": "previous"}, name="previous"),
    path("items/<uuid:item_id>/next/", views.neighbour, {"direction": "next"}, name="next"),
    path("items/<uuid:item_id>/take/", views.take, name="take"),
    path("items/<uuid:item_id>/let-go/", views.let_go, name="let_go"),
    path("items/<uuid:item_id>/renew/", views.renew, name="renew"),
    path("items/<uuid:item_id>/label/", views.label, name="label"),
    path("items/<uuid:item_id>/note/", views.note, name="note"),
    path("items/<uuid:item_id>/label-remaining/", views.label_remaining, name="label_remaining"),
    path("items/<uuid:item_id>/undo/", views.undo, name="undo"),
    path("items/<uuid:item_id>/submit/", views.submit, name="submit"),
    path("items/<uuid:item_id>/skip/", views.skip, name="skip"),
    path("items/<uuid:item_id>/flag/", views.flag, name="flag"),
]
