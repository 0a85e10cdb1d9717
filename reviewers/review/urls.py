"""URLs of the slice."""

from __future__ import annotations

from django.urls import path

from reviewers.review import inbox
from reviewers.review.adjudication import views as adjudication_views
from reviewers.review.agreement import views as agreement_views
from reviewers.review.labels import views as label_views
from reviewers.review.legal_holds import views as hold_views
from reviewers.review.masking import access
from reviewers.review.page import views as page_views
from reviewers.review.plans import views as plan_views
from reviewers.review.queue import views as queue_views
from reviewers.review.redaction import views as redaction_views
from reviewers.review.signing import views as signing_views
from reviewers.review.talk import views as talk_views

urlpatterns = [
    path("inbox/", inbox.show, name="inbox"),
    path("queue/", queue_views.show, name="queue"),
    path("queue/search/", queue_views.search, name="search"),
    path("queue/next/", queue_views.take_next, name="take_next"),
    path("queue/views/save/", queue_views.save_view, name="save_view"),
    path("queue/views/<uuid:view_id>/change/", queue_views.change_view, name="change_view"),
    path("queue/views/<uuid:view_id>/remove/", queue_views.remove_view, name="remove_view"),
    path("review-settings/moving-on/", page_views.move_on, name="move_on"),
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
    path("settings/judged-support/", agreement_views.judged_support, name="judged_support"),
    path("conflicts/", adjudication_views.show_all, name="conflicts"),
    path("conflicts/<uuid:case_id>/", adjudication_views.show, name="conflict"),
    path("conflicts/<uuid:case_id>/decide/", adjudication_views.decide, name="decide"),
    path("conflicts/<uuid:case_id>/reopen/", adjudication_views.reopen, name="reopen"),
    path("items/<uuid:item_id>/", page_views.item, name="item"),
    path("items/<uuid:item_id>/why/", access.explain, name="explain"),
    path("items/<uuid:item_id>/unfound/", page_views.unfound, name="unfound"),
    path("items/<uuid:item_id>/sources/", page_views.sources, name="sources"),
    path("items/<uuid:item_id>/passages/<int:ordinal>/<int:place>/", page_views.passage, name="passage"),
    path("items/<uuid:item_id>/conversation/", page_views.conversation, name="conversation"),
    path("items/<uuid:item_id>/client/", page_views.client, name="client"),
    path("items/<uuid:item_id>/record/", page_views.frozen_record, name="record"),
    path("items/<uuid:item_id>/receipt/", page_views.receipt, name="receipt"),
    path("items/<uuid:item_id>/citation-search/", page_views.citation_search, name="citation_search"),
    path("items/<uuid:item_id>/look-again/", label_views.look_again, name="look_again"),
    path("items/<uuid:item_id>/judge-support/", label_views.have_judged, name="ask_for_support"),
    path("items/<uuid:item_id>/previous/", page_views.neighbour, {"direction": "previous"}, name="previous"),
    path("items/<uuid:item_id>/next/", page_views.neighbour, {"direction": "next"}, name="next"),
    path("items/<uuid:item_id>/take/", label_views.take, name="take"),
    path("items/<uuid:item_id>/let-go/", label_views.let_go, name="let_go"),
    path("items/<uuid:item_id>/renew/", label_views.renew, name="renew"),
    path("items/<uuid:item_id>/label/", label_views.label, name="label"),
    path("items/<uuid:item_id>/reveal/", access.reveal_text, name="reveal"),
    path("items/<uuid:item_id>/note/", label_views.note, name="note"),
    path("items/<uuid:item_id>/label-citation/", label_views.label_citation, name="label_citation"),
    path("items/<uuid:item_id>/note-citation/", label_views.note_citation, name="note_citation"),
    path("items/<uuid:item_id>/label-remaining/", label_views.label_remaining, name="label_remaining"),
    path("items/<uuid:item_id>/undo/", label_views.undo, name="undo"),
    path("items/<uuid:item_id>/submit/", label_views.submit, name="submit"),
    path("items/<uuid:item_id>/skip/", label_views.skip, name="skip"),
    path("items/<uuid:item_id>/flag/", talk_views.flag, name="flag"),
    path("items/<uuid:item_id>/flags/<uuid:flag_id>/resolve/", talk_views.resolve, name="resolve_flag"),
    path("items/<uuid:item_id>/unsupported/", label_views.claim, name="claim"),
    path("items/<uuid:item_id>/unsupported/take-back/", label_views.take_back, name="take_back_claim"),
    path("items/<uuid:item_id>/comment/", talk_views.comment, name="comment"),
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
    path("signing/", signing_views.signing_all, name="signing_all"),
    path("signing/sign/", signing_views.sign_all, name="sign_all"),
    path("signatures/<uuid:signature_id>/", signing_views.statement, name="statement"),
]
