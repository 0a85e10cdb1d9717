"""Pages of versions: members read them, a lead writes and proposes one, and another lead approves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import requires_proof
from reviewers.snapshots.models import visible
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.kinds import VersionKind


class VersionForm(forms.Form):
    """A text, as a file or written out; a file goes before what is written."""

    file = forms.FileField(required=False, allow_empty_file=True, max_length=200)


def addresses(kind: VersionKind) -> list[URLPattern]:
    """Return the addresses of the pages of a kind.

    A proposal takes a proof of identity like the approval: otherwise one person at somebody's open browser could be both.
    """
    pages, reads, manages = Pages(kind), requires(Permission.READ_SETTINGS), requires(kind.permission)
    proved = requires_proof(kind.purpose)
    every, one = f"settings/{kind.folder}/", f"settings/{kind.folder}/<uuid:{kind.key}>/"

    def of(view: Callable[[MemberRequest, UUID], HttpResponse]) -> Callable[..., HttpResponse]:
        return wraps(view)(lambda request, **ids: view(request, ids[kind.key]))

    return [
        path(every, require_GET(reads(pages.every)), name=kind.plural),
        path(f"{every}{kind.verb}/", require_POST(manages(pages.write)), name=f"{kind.verb}_{kind.name}"),
        path(one, require_GET(reads(of(pages.one))), name=kind.name),
        path(f"{one}download/", require_GET(reads(of(pages.download))), name=f"download_{kind.name}"),
        path(f"{one}propose/", require_POST(manages(proved(of(pages.propose)))), name=f"propose_{kind.name}"),
        path(f"{one}approve/", require_POST(manages(proved(of(pages.approve)))), name=f"approve_{kind.name}"),
        path(f"{one}decline/", require_POST(manages(of(pages.decline))), name=f"decline_{kind.name}"),
    ]


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a kind."""

    kind: VersionKind

    def every(self, request: MemberRequest) -> HttpResponse:
        """List the versions, and show the form to write another one."""
        return self._render_every(request)

    def write(self, request: MemberRequest) -> HttpResponse:
        """Store a version and redirect to it, or list everything that is wrong with it, beside what was sent."""
        content = request.POST.get("text", "").encode("utf-8", "surrogatepass")
        try:
            content = self._sent(request, content)
            version, _ = actions.write(self.kind, content=content, by=request.member, now=timezone.now())
        except self.kind.error as error:
            return self._render_every(request, error.problems, content, status=422)
        except Refused as refusal:
            return self._render_every(request, [("", str(refusal))], content, status=refusal.status)
        return redirect(self.kind.name, version.pk)

    def one(self, request: MemberRequest, version_id: UUID) -> HttpResponse:
        """Show a version: who decided on it, what it changes, and what it holds."""
        return self._render_one(request, version_id)

    def download(self, request: MemberRequest, version_id: UUID) -> HttpResponse:
        """Download a version as it can be written again."""
        found = self._find(request, version_id)
        response = HttpResponse(queries.read_text(found), content_type=self.kind.content_type)
        response["Content-Disposition"] = f'attachment; filename="{found.file}"'
        return response

    def propose(self, request: MemberRequest, version_id: UUID) -> HttpResponse:
        """Propose a version."""
        return self._decide(request, version_id, actions.propose)

    def approve(self, request: MemberRequest, version_id: UUID) -> HttpResponse:
        """Approve a version that somebody else proposed."""
        return self._decide(request, version_id, actions.approve)

    def decline(self, request: MemberRequest, version_id: UUID) -> HttpResponse:
        """Decline somebody else's proposal, or withdraw one's own."""
        return self._decide(request, version_id, actions.decline)

    def _sent(self, request: MemberRequest, text: bytes) -> bytes:
        """Return the text that a form brings, with at most one byte more than it may have; raise the error of the kind without one."""
        form = VersionForm(request.POST, request.FILES)
        if not form.is_valid():
            raise self.kind.error([("", str(error)) for errors in form.errors.values() for error in errors])
        file = form.cleaned_data["file"]
        content: bytes = file.read(self.kind.largest + 1) if file else text
        if not content.strip():
            raise self.kind.error([("", f"choose a file, or paste a {self.kind.text}")])
        return content

    def _decide(self, request: MemberRequest, version_id: UUID, decide: Callable[..., object]) -> HttpResponse:
        act = partial(decide, self.kind, version_id=version_id, by=request.member, now=timezone.now())
        return answer_decision(act, partial(self._render_one, request, version_id), self.kind.name, version_id)

    def _find(self, request: MemberRequest, version_id: UUID) -> queries.VersionRow:
        found = queries.find_version(self.kind, request.member.organisation, version_id)
        if found is None:
            raise Http404
        return found

    def _render_every(
        self, request: MemberRequest, problems: Sequence[tuple[Any, str]] = (), sent: bytes = b"", status: int = 200
    ) -> HttpResponse:
        organisation = request.member.organisation
        rows = queries.list_versions(self.kind, organisation)
        context = {
            "kind": self.kind,
            "organisation": organisation,
            "rows": rows,
            "unlisted": queries.count_unlisted(self.kind, organisation),
            "in_use": next((row for row in rows if row.is_in_use), None),
            "problems": problems,
            "text": visible(sent[: self.kind.largest].decode("utf-8", "replace")) if problems else self._begun(request, rows),
            **self.kind.form(),
        }
        return render(request, f"snapshots/{self.kind.plural}.html", context, status=status)

    def _begun(self, request: MemberRequest, rows: Sequence[queries.VersionRow]) -> str:
        """Return the text of the version that the address names, else of the one in use if versions of the kind begin with it."""
        named = next((row for row in rows if str(row.id) == request.GET.get("from")), None)
        in_use = next((row for row in rows if row.is_in_use), None) if self.kind.begins_with_version_in_use else None
        begun = named or in_use
        return queries.read_text(begun) if begun else ""

    def _render_one(self, request: MemberRequest, version_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
        found = self._find(request, version_id)
        base = queries.find_base(found, request.member.organisation)
        context = {
            "row": found,
            "base": base,
            "is_own": found.waiting is not None and found.waiting.proposed_by == request.member.user_id,
            "notice": notice,
            **self.kind.contents(found.id, base.id if base else None),
        }
        return render(request, f"snapshots/{self.kind.name}.html", context, status=status)
