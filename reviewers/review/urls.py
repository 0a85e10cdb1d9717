"""URLs of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.review.adjudication import views as deciding_views
from reviewers.review.labels import views as citation_views
from reviewers.review.labels import views as work_views
from reviewers.review.legal_holds import views as hold_views
from reviewers.review.masking import access as masking_views
from reviewers.review.masking import access as reasons
from reviewers.review.page import views
from reviewers.review.page import views as receipt_views
from reviewers.review.page import views as source_views
from reviewers.review.plans import views as agreement_views
from reviewers.review.plans import views as plan_views
from reviewers.review.queue import views as queue_views
from reviewers.review.redaction import views as redaction_views
from reviewers.review.signing import views as signing_views

urlpatterns = [
    path("queue/", queue_views.show, name="queue"),
    path("queue/search/", queue_views.search, name="search"),
    path("queue/next/", queue_views.take_next, name="take_next"),
    path("plans/", plan_views.show_all, name="plans"),
    path("plans/new/", plan_views.new, name="new_plan"),
    path("plans/preview/", plan_views.preview, name="preview_plan"),
    path("plans/create/", plan_views.create, name="create_plan"),
    path("plans/<uuid:plan_id>/", plan_views.show, name="plan"),
    path("plans/<uuid:plan_id>/edit/", plan_views.edit, name="edit_plan"),
    path("plans/<uuid:plan_id>/change/", plan_views.change, name="change_plan"),
    path("plans/<uuid:plan_id>/start/", plan_views.start, name="start_plan"),
    path("plans/<uuid:plan_id>/stop/", plan_views.stop, name="stop_plan"),
    path("plans/<uuid:plan_id>/agreement/", agreement_views.show_agreement_of_plan, name="plan_agreement"),
    path("agreement/", agreement_views.show_agreement_of_all, name="agreement"),
    path("conflicts/", deciding_views.show_all, name="conflicts"),
    path("conflicts/<uuid:case_id>/", deciding_views.show, name="conflict"),
    path("conflicts/<uuid:case_id>/decide/", deciding_views.decide, name="decide"),
    path("conflicts/<uuid:case_id>/reopen/", deciding_views.reopen, name="reopen"),
    path("items/<uuid:item_id>/", views.item, name="item"),
    path("items/<uuid:item_id>/why/", reasons.explain, name="explain"),
    path("items/<uuid:item_id>/unfound/", views.unfound, name="unfound"),
    path("items/<uuid:item_id>/sources/", source_views.sources, name="sources"),
    path("items/<uuid:item_id>/passages/<int:ordinal>/<int:place>/", source_views.passage, name="passage"),
    path("items/<uuid:item_id>/record/", views.frozen_record, name="record"),
    path("items/<uuid:item_id>/receipt/", receipt_views.receipt, name="receipt"),
    path("items/<uuid:item_id>/citation-search/", views.citation_search, name="citation_search"),
    path("items/<uuid:item_id>/look-again/", work_views.look_again, name="look_again"),
    path("items/<uuid:item_id>/previous/", views.neighbour, {"direction": "previous"}, name="previous"),
    path("items/<uuid:item_id>/next/", views.neighbour, {"direction": "next"}, name="next"),
    path("items/<uuid:item_id>/take/", work_views.take, name="take"),
    path("items/<uuid:item_id>/let-go/", work_views.let_go, name="let_go"),
    path("items/<uuid:item_id>/renew/", work_views.renew, name="renew"),
    path("items/<uuid:item_id>/label/", work_views.label, name="label"),
    path("items/<uuid:item_id>/reveal/", masking_views.reveal_text, name="reveal"),
    path("items/<uuid:item_id>/note/", work_views.note, name="note"),
    path("items/<uuid:item_id>/label-citation/", citation_views.label_citation, name="label_citation"),
    path("items/<uuid:item_id>/note-citation/", citation_views.note_citation, name="note_citation"),
    path("items/<uuid:item_id>/label-remaining/", work_views.label_remaining, name="label_remaining"),
    path("items/<uuid:item_id>/undo/", work_views.undo, name="undo"),
    path("items/<uuid:item_id>/submit/", work_views.submit, name="submit"),
    path("items/<uuid:item_id>/skip/", work_views.skip, name="skip"),
    path("items/<uuid:item_id>/flag/", work_views.flag, name="flag"),
    path("items/<uuid:item_id>/signing/", signing_views.signing, name="signing"),
    path("items/<uuid:item_id>/sign/", signing_views.sign, name="sign"),
    path("items/<uuid:item_id>/approve/", signing_views.approve, name="approve"),
    path("items/<uuid:item_id>/redact/", redaction_views.choose, name="redact"),
    path("items/<uuid:item_id>/redact/propose/", redaction_views.propose, name="propose_redaction"),
    path("items/<uuid:item_id>/redact/why/", redaction_views.explain, name="explain_redaction"),
    path("redactions/", redaction_views.show_all, name="redactions"),
    path("redactions/<uuid:redaction_id>/", redaction_views.show, name="redaction"),
    path("redactions/<uuid:redaction_id>/approve/", redaction_views.approve, name="approve_redaction"),
    path("redactions/<uuid:redaction_id>/decline/", redaction_views.decline, name="decline_redaction"),
    path("holds/", hold_views.show_all, name="holds"),
    path("holds/new/", hold_views.new, name="new_hold"),
    path("holds/place/", hold_views.place, name="place_hold"),
    path("holds/<uuid:hold_id>/", hold_views.show, name="hold"),
    path("holds/<uuid:hold_id>/propose-lift/", hold_views.propose_lift, name="propose_lift"),
    path("holds/<uuid:hold_id>/lift/", hold_views.lift, name="lift_hold"),
    path("holds/<uuid:hold_id>/keep/", hold_views.keep, name="keep_hold"),
    path("signatures/<uuid:signature_id>/", signing_views.statement, name="statement"),
]
