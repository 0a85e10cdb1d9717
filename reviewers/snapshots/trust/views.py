"""Views of tables of trust: members read them, a lead writes and proposes one, and another lead approves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from attribution import LARGEST_TABLE, MOST_RULES, TrustTableError
from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.snapshots.models import visible
from reviewers.snapshots.trust import actions, queries
from reviewers.snapshots.trust.difference import compare_tables, shipped_tiers, shown_rules

EXAMPLE = """# host or name, level, reason
handbook.example.org, 1, our own handbook, reviewed each spring
Formulary Desk, 2, licensed by the pharmacy
example.net, unknown, two of its articles were withdrawn
"""


class TableForm(forms.Form):
    """A table, as a file or as text; a file goes before the text, which is filled in with the table in use."""

    file = forms.FileField(required=False, allow_empty_file=True, max_length=200)

    def content(self) -> bytes:
        """Return the bytes of the table, one more than it may have at most; raise ``TrustTableError`` for a file that cannot be read."""
        if not self.is_valid():
            raise TrustTableError([(0, str(error)) for errors in self.errors.values() for error in errors])
        file = self.cleaned_data["file"]
        content: bytes = file.read(LARGEST_TABLE + 1) if file else self.data.get("text", "").encode("utf-8", "surrogatepass")
        return content


@require_GET
@requires(Permission.READ_SETTINGS)
def tables(request: MemberRequest) -> HttpResponse:
    """List the versions and the levels that come with Footnote, and show the form to write another version."""
    return _render_list(request)


@require_POST
@requires(Permission.MANAGE_TRUST)
def write(request: MemberRequest) -> HttpResponse:
    """Store a version and redirect to it, or list everything that is wrong with it, beside what was sent."""
    content = request.POST.get("text", "").encode("utf-8", "surrogatepass")
    try:
        content = TableForm(request.POST, request.FILES).content()
        table = actions.write(content=content, by=request.member, now=timezone.now())
    except TrustTableError as error:
        return _render_list(request, error.problems, visible(content[:LARGEST_TABLE].decode("utf-8", "replace")), status=422)
    except Refused as refusal:
        return _render_list(request, [(0, str(refusal))], visible(content.decode()), status=refusal.status)
    return redirect("trust_table", table.pk)


@require_GET
@requires(Permission.READ_SETTINGS)
def table(request: MemberRequest, table_id: UUID) -> HttpResponse:
    """Show a version: who decided on it, what it changes, and its rules."""
    return _render(request, table_id)


@require_GET
@requires(Permission.READ_SETTINGS)
def download(request: MemberRequest, table_id: UUID) -> HttpResponse:
    """Download a version as it can be written again."""
    found = _find(request, table_id)
    response = HttpResponse(queries.read_text(found), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="trust-{found.number}.txt"'
    return response


@require_POST
@requires(Permission.MANAGE_TRUST)
@requires_proof(Purpose.TRUST)
def propose(request: MemberRequest, table_id: UUID) -> HttpResponse:
    """Propose a version. It takes a proof like the approval: otherwise one person at somebody's open browser could be both."""
    return _decide(request, table_id, actions.propose)


@require_POST
@requires(Permission.MANAGE_TRUST)
@requires_proof(Purpose.TRUST)
def approve(request: MemberRequest, table_id: UUID) -> HttpResponse:
    """Approve a version that somebody else proposed."""
    return _decide(request, table_id, actions.approve)


@require_POST
@requires(Permission.MANAGE_TRUST)
def decline(request: MemberRequest, table_id: UUID) -> HttpResponse:
    """Decline somebody else's proposal, or withdraw one's own."""
    return _decide(request, table_id, actions.decline)


def _decide(request: MemberRequest, table_id: UUID, decide: Callable[..., object]) -> HttpResponse:
    act = partial(decide, table_id=table_id, by=request.member, now=timezone.now())
    return answer_decision(act, partial(_render, request, table_id), "trust_table", table_id)


def _find(request: MemberRequest, table_id: UUID) -> queries.Version:
    found = queries.find_version(request.member.organisation, table_id)
    if found is None:
        raise Http404
    return found


def _render_list(request: MemberRequest, problems: Sequence[tuple[int, str]] = (), text: str = "", status: int = 200) -> HttpResponse:
    organisation = request.member.organisation
    rows = queries.list_versions(organisation)
    in_use = next((row for row in rows if row.is_in_use), None)
    context = {
        "organisation": organisation,
        "rows": rows,
        "in_use": in_use,
        "shipped": shipped_tiers(),
        "problems": problems,
        "text": text if problems else _text_to_begin_with(request, rows, in_use),
        "example": EXAMPLE,
        "most_rules": MOST_RULES,
        "largest": LARGEST_TABLE // 1024,
    }
    return render(request, "snapshots/trust_tables.html", context, status=status)


def _text_to_begin_with(request: MemberRequest, rows: Sequence[queries.Version], in_use: queries.Version | None) -> str:
    """Return the text of the version that the address names, else that of the one in use."""
    named = next((row for row in rows if str(row.id) == request.GET.get("from")), None)
    begun = named or in_use
    return queries.read_text(begun) if begun else ""


def _render(request: MemberRequest, table_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    found = _find(request, table_id)
    rules, base = queries.read_rules(found), queries.find_base(request.member.organisation, found)
    context = {
        "row": found,
        "rules": shown_rules(rules),
        "base": base,
        "changes": compare_tables(queries.read_rules(base), rules),
        "is_own": found.waiting is not None and found.waiting.proposed_by == request.member.user_id,
        "notice": notice,
    }
    return render(request, "snapshots/trust_table.html", context, status=status)
