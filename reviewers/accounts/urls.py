"""URLs of accounts."""

from __future__ import annotations

from django.urls import path

from reviewers.accounts import views
from reviewers.accounts.members import views as member_views

urlpatterns = [
    path("", views.home, name="home"),
    path("glossary/", views.glossary, name="glossary"),
    path("organisations/", views.choose, name="organisations"),
    path("organisations/<uuid:organisation_id>/enter/", views.enter, name="enter"),
    path("session/", views.time_left, name="time_left"),
    path("session/stay/", views.stay, name="stay"),
    path("drafts/", views.read_drafts, name="read_drafts"),
    path("drafts/keep/", views.keep_draft, name="keep_draft"),
    path("tokens/", member_views.own_tokens, name="tokens"),
    path("tokens/make/", member_views.make_own_token, name="make_token"),
    path("tokens/<uuid:token_id>/end/", member_views.end_own_token, name="end_token"),
    path("settings/", views.settings, name="settings"),
    path("settings/citations/", views.switch_citations, name="switch_citations"),
    path("settings/repair/", views.switch_repair, name="switch_repair"),
    path("settings/required-citations/", views.switch_required_citations, name="switch_required_citations"),
    path("settings/search-unit/", views.switch_search_unit, name="switch_search_unit"),
    path("settings/quotes/", views.switch_quotes, name="switch_quotes"),
    path("settings/citation-search/", views.switch_citation_search, name="switch_citation_search"),
    path("settings/judged-support/switch/", views.switch_judged_support, name="switch_judged_support"),
    path("settings/second-factor/", views.switch_second_factor, name="switch_second_factor"),
    path("settings/asking-why/", views.switch_asking_why, name="switch_asking_why"),
    path("settings/keys/", views.create_key, name="create_key"),
    path("settings/keys/<uuid:key_id>/revoke/", views.revoke_key, name="revoke_key"),
    path("settings/members/", member_views.members, name="members"),
    path("settings/members/invite/", member_views.invite, name="invite"),
    path("settings/invitations/<uuid:invitation_id>/withdraw/", member_views.withdraw_invitation, name="withdraw_invitation"),
    path("settings/members/<uuid:member_id>/role/", member_views.change_role, name="change_role"),
    path("settings/members/<uuid:member_id>/end/", member_views.end_membership, name="end_membership"),
    path("settings/members/<uuid:member_id>/sign-out/", member_views.sign_out_member, name="sign_out_member"),
    path("settings/members/<uuid:member_id>/outside/", member_views.mark_external, name="mark_external"),
    path("settings/tokens/<uuid:token_id>/end/", member_views.end_member_token, name="end_member_token"),
    path("settings/texts/", views.texts, name="texts"),
    path("settings/retention/", views.periods, name="periods"),
    path("settings/retention/set/", views.set_period, name="set_period"),
]
