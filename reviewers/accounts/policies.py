"""Policies of accounts: what is allowed in a given state, to anybody. Each check raises with its reason."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

from reviewers.accounts.models import Invitation, Membership, Organisation, Role, SearchWay, User

MOST_INVITED = 100
"""Invitations of an organisation in an hour. Each is a mail to anybody, and those of all organisations wait in one queue."""
LONGEST_OUTSIDE = timedelta(days=366)


class Refused(Exception):  # noqa: N818 — the state has changed, which is nobody's error
    """An action that the present state does not allow. The message is for the person who tried, ``status`` that of the HTTP answer."""

    status = 409


class Invalid(Refused):
    """An action that lacks something, such as a reason."""

    status = 422


def check_administrator_remains(member: Membership) -> None:
    """Refuse to let the last administrator with an open account go. The caller has two who leave at once judged in turn."""
    if member.role != Role.ADMINISTRATOR:
        return
    here = Membership.objects.filter(organisation_id=member.organisation_id, role=Role.ADMINISTRATOR, ended_at=None)
    if not here.filter(user__is_active=True).exclude(pk=member.pk).exists():
        raise Refused(f"{member.user.name} is the only administrator here. Make somebody else one first.")


def check_may_be_external(role: str, until: datetime, now: datetime) -> None:
    """Refuse an external membership for anybody but an auditor, or without an end within a year."""
    if role != Role.AUDITOR:
        raise Refused("Only an auditor can be from outside.")
    if not now < until <= now + LONGEST_OUTSIDE:
        raise Refused("Choose a last day between today and a year from now.")


def check_may_change_role(member: Membership) -> None:
    """Refuse another role for a member from outside: what they may see is decided anew with a new membership."""
    if member.is_external:
        raise Refused(f"{member.user.name} is from outside. End this membership before giving another role.")


@dataclass(frozen=True, slots=True)
class ExternalTerms:
    """The reason for letting somebody in from outside, and the moment at which the membership ends."""

    reason: str
    until: datetime


class NotConfigured(Exception):  # noqa: N818 — not an error: the deployment lacks something
    """The deployment lacks the configuration for a choice; the message says which."""


def check_can_be_chosen(way: SearchWay) -> None:
    """Raise ``NotConfigured`` if this deployment does not support a way of looking for citations."""
    if way is SearchWay.MODEL and not endpoint_host():
        raise NotConfigured("No model endpoint is set up in this deployment.")


def can_be_chosen(way: SearchWay) -> bool:
    """Return True if this deployment supports a way of looking for citations."""
    return way is not SearchWay.MODEL or bool(endpoint_host())


def check_can_be_judged() -> None:
    """Raise ``NotConfigured`` if this deployment has no model to judge citations."""
    if not endpoint_host():
        raise NotConfigured("No model endpoint is set up in this deployment.")


def endpoint_host() -> str:
    """Return the host that answers and sources would be sent to; an empty string if no model endpoint is configured."""
    return urlsplit(settings.MODEL_URL).hostname or ""


# The rule "by two people", for everything that one person proposes and another approves. Both were members before the proposal, both had
# signed in with a second factor if one is required, and neither joined by an invitation in the last days (``FOOTNOTE_TWO_PEOPLE_DAYS``).
# Otherwise one person could invite accounts of their own, directly or through one another, and decide alone. The database enforces the
# same rule: see ``migrations/sql/two_people.sql``.


def why_not_two_people(*, organisation_id: UUID, proposed_by: UUID, proposed_at: datetime, decided_by: UUID, now: datetime) -> str:
    """Return the reason why these two may not decide together, in words for the second person; an empty string if they may.

    ``proposed_by`` and ``decided_by`` are identifiers of users.
    """
    if proposed_by == decided_by:
        return "You proposed this. Somebody else has to approve it."
    proposer, decider = (_member_at(organisation_id, user_id, proposed_at) for user_id in (proposed_by, decided_by))
    if proposer is None or decider is None or decider.ended_at is not None:
        return "Whoever proposes and whoever approves must both have been members here before the proposal."
    if _needs_second_factor(organisation_id) and not (_was_strong(proposer, proposed_at) and _was_strong(decider, proposed_at)):
        return "Whoever proposes and whoever approves must both have signed in here with a second factor before the proposal."
    if any(_came_lately(each, now) for each in (proposer, decider)):
        days = settings.TWO_PEOPLE_APART.days
        return f"One of you came by an invitation in the last {days} days. Two people who were here before decide this."
    return ""


def _member_at(organisation_id: UUID, user_id: UUID, moment: datetime) -> Membership | None:
    """Return the newest membership of a person that was open at a moment."""
    found = Membership.objects.filter(organisation_id=organisation_id, user_id=user_id, created_at__lte=moment).order_by("-created_at")
    newest = found.first()
    return newest if newest is not None and (newest.ended_at is None or newest.ended_at > moment) else None


def _needs_second_factor(organisation_id: UUID) -> bool:
    if settings.SECOND_FACTOR_REQUIRED:
        return True
    return Organisation.objects.filter(pk=organisation_id, requires_second_factor=True).exists()


def _was_strong(member: Membership, moment: datetime) -> bool:
    return member.second_factor_at is not None and member.second_factor_at <= moment


def _came_lately(member: Membership, now: datetime) -> bool:
    """Return True if the member joined by a recent invitation of anybody: otherwise a chain of invitations would evade the rule."""
    return member.invited_by_id is not None and member.created_at > now - settings.TWO_PEOPLE_APART


# Invitations.


def check_may_invite(organisation_id: UUID, email: str) -> None:
    """Refuse to invite a member. Accounts that are not members here are not considered."""
    if Membership.objects.filter(organisation_id=organisation_id, user__email=email, ended_at=None).exists():
        raise Refused(f"{email} is a member already.")


def check_invites_few(organisation_id: UUID, now: datetime) -> None:
    """Refuse another invitation to an organisation that has just made very many, whatever became of them."""
    if Invitation.objects.filter(organisation_id=organisation_id, created_at__gt=now - timedelta(hours=1)).count() >= MOST_INVITED:
        raise Refused(f"{MOST_INVITED} invitations were sent within an hour, and no more may be. Invite the others later.")


def check_is_administrator_still(organisation_id: UUID, user_id: UUID) -> None:
    """Refuse anybody who is no longer an administrator. Their row is locked, so that a concurrent change of role waits."""
    here = Membership.objects.filter(organisation_id=organisation_id, user_id=user_id, role=Role.ADMINISTRATOR, ended_at=None)
    if not here.select_for_update(no_key=True).first():
        raise Refused("You are no administrator here any more.")


def check_is_open(invitation: Invitation, now: datetime) -> None:
    """Refuse an invitation that has ended or expired."""
    if invitation.ended_at is not None or invitation.expires_at <= now:
        raise Refused("This invitation is not valid any more. Ask whoever invited you for another one.")


def check_may_accept(invitation: Invitation, user: User, now: datetime) -> None:
    """Refuse anybody but the owner of the invited address."""
    check_is_open(invitation, now)
    if user.email != invitation.email:
        raise Refused(f"This invitation is for {invitation.email}. You are signed in as {user.email}: sign out, and open the link again.")
    if not user.is_active:
        raise Refused("This account is closed.")
    if invitation.external_until is not None and invitation.external_until <= now:
        raise Refused("The last day of this invitation has passed.")


def check_name_is_free(invitation: Invitation, user: User) -> None:
    """Refuse an account with the name of a current or former colleague: what either signs is shown with the name alone.

    An account that is made for an invitation gets another name (see ``AccountForm``); this one has its name from elsewhere. Somebody from
    outside neither labels nor signs.
    """
    colleagues = Membership.objects.filter(organisation_id=invitation.organisation_id).exclude(user=user.pk)
    if invitation.external_until is None and reads_like_one_of(user.name, colleagues.values_list("user__name", flat=True)):
        raise Refused(
            "Somebody here has the name of your account, and what you sign would be read as theirs. "
            "Ask for an invitation to another address: an account made with it can have a name that tells you apart."
        )


def letters_of(name: str) -> str:
    """Return the letters of a name without case, accents, spaces and signs: two names with the same letters are read as one."""
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in decomposed if each.isalnum() and unicodedata.category(each) != "Lm")


def reads_like_one_of(name: str, others: Iterable[str]) -> bool:
    """Return True if a name is read as one of others, letter by letter or by letters that look like those of another alphabet."""
    return not _readings(name).isdisjoint(chain.from_iterable(map(_readings, others)))


def _readings(name: str) -> frozenset[str]:
    looking = letters_of(unicodedata.normalize("NFKC", name).translate(_LOOKING))
    return frozenset({letters_of(name), looking, looking.replace("rn", "m").replace("vv", "w")})


_LOOKING = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5"
    "\u0251\u0261\u0131\u1d00\u1d04\u1d07\u1d0b\u1d0d\u1d0f\u1d18\u1d1b\u1d1c\u1d20\u1d21\u1d22I|10"
    "\u0555\u054d\u0555\u0585\u057d\u0578\u0570\u0581\u0566\u0575\u0196\u0237\u0185\u01bf",
    "ABEKMHOPCTYXSlJaeopcyxsijhldqwABEZHlKMNOPTYXaivopuagiacekmoptuvwzllloOUOounhgqjljbp",
)
"""Letters of Cyrillic, Greek, Armenian and phonetic alphabets, and figures, by the Latin letter that they look like."""

_ALPHABETS = frozenset(
    {
        *("ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GREEK", "GUJARATI"),
        *("GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO", "LATIN", "MALAYALAM", "MYANMAR", "ORIYA"),
        *("SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
    }
)
"""The scripts that are in use everywhere, as Unicode's names of letters begin: many others have letters that look like Latin ones."""
_TOGETHER = frozenset({"BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "KATAKANA"})
_IN_NAMES = "\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0272\u028a\u028b"
"""The letters of the phonetic alphabet that names of some languages are written with."""
_BESIDE_LETTERS = frozenset("0123456789 -\u2010\u2013'\u2019`.,()&/\u00b7\u02bb\u02bc\u3005\u30fc")
_WORD = re.compile(r"[^\W_]+")


def is_plainly_written(name: str) -> bool:
    """Return True if each word of a name is in the letters of one alphabet that names are written with, with usual signs between them."""
    composed = unicodedata.normalize("NFKC", name)
    are_usual = all(each in _BESIDE_LETTERS or unicodedata.category(each) in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc") for each in composed)
    return are_usual and all(map(_is_of_one_alphabet, _WORD.findall(composed)))


def _is_of_one_alphabet(word: str) -> bool:
    letters = [each for each in unicodedata.normalize("NFKD", word) if unicodedata.category(each) in ("Lu", "Ll", "Lt", "Lo")]
    alphabets = {unicodedata.name(each, "").partition(" ")[0] for each in letters}
    is_one = len(alphabets) <= 1 or alphabets <= _TOGETHER
    return is_one and alphabets <= _ALPHABETS and not any(map(_is_phonetic, letters))


def _is_phonetic(letter: str) -> bool:
    """Return True for Latin letters of phonetic alphabets and of scholars, and for clicks, which look like bars."""
    is_latin = unicodedata.name(letter, "").startswith("LATIN ")
    is_ordinary = letter < "\u0250" or "\u1e00" <= letter < "\u1f00" or letter.lower() in _IN_NAMES
    return is_latin and (not is_ordinary or "\u01c0" <= letter <= "\u01c3")
