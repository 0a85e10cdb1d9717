"""allauth's addresses that this site uses, each in a transaction with its events.

Reauthentication is our own: allauth accepts either factor, this site asks for both. Registration and changing one's e-mail address are left
out: people join by invitation, and the address receives password links, so somebody at an open browser must not be able to change it.
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.db.transaction import atomic
from django.urls import path, re_path

from reviewers.accounts.members.views import invitation
from reviewers.accounts.sign_in.second_factors import add_passkey, ask_for_factor, remove_passkey, sign_in_by_passkey
from reviewers.accounts.sign_in.views import account_page, own_sessions, prove
from reviewers.accounts.single_sign_on import views as single_sign_on

urlpatterns = [
    path("login/", atomic(account.login), name="account_login"),
    path("logout/", atomic(account.logout), name="account_logout"),
    path("sign-on/", single_sign_on.choose_provider, name="sign_on"),
    path("sign-on/<uuid:provider_id>/", single_sign_on.begin, name="sign_on_begin"),
    path("sign-on/<uuid:provider_id>/return/", single_sign_on.come_back, name="sign_on_return"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("invitation/<uuid:invitation_id>/<str:token>/", atomic(invitation), name="invitation"),
    path("signed-in/", atomic(own_sessions), name="own_sessions"),
    path("reauthenticate/", atomic(prove), name="account_reauthenticate"),
    path("password/change/", atomic(account.password_change), name="account_change_password"),
    path("password/reset/", atomic(account.password_reset), name="account_reset_password"),
    path("password/reset/done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        atomic(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("password/reset/key/done/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("2fa/", account_page, name="mfa_index"),
    path("2fa/authenticate/", atomic(ask_for_factor), name="mfa_authenticate"),
    path("2fa/reauthenticate/", atomic(prove), name="mfa_reauthenticate"),
    path("2fa/totp/activate/", atomic(totp.activate_totp), name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", atomic(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("2fa/passkeys/add/", atomic(add_passkey), name="mfa_add_webauthn"),
    path("2fa/passkeys/<int:pk>/remove/", atomic(remove_passkey), name="mfa_remove_webauthn"),
    path("2fa/passkeys/login/", atomic(sign_in_by_passkey), name="mfa_login_webauthn"),
    path("2fa/recovery-codes/", atomic(codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path("2fa/recovery-codes/generate/", atomic(codes.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path("2fa/recovery-codes/download/", atomic(codes.download_recovery_codes), name="mfa_download_recovery_codes"),
]
