"""Views of schemas: members read them, a lead uploads and proposes one, and another lead approves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from attribution import SchemaError
from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.snapshots.schemas import actions, queries


class UploadForm(forms.Form):
    """A schema, as a file or as text."""

    file = forms.FileField(required=False, allow_empty_file=True, max_length=200)
    text = forms.CharField(required=False, strip=False, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}))

    def content(self) -> bytes:
        """Return the bytes of the schema; raise ``SchemaError`` if there are none."""
        file = self.cleaned_data["file"] if self.is_valid() else None
        content: bytes = file.read() if file else self.data.get("text", "").encode("utf-8", "surrogatepass")
        if not content.strip():
            raise SchemaError([("", "choose a file, or paste a schema")])
        return content


@require_GET
@requires(Permission.READ_SETTINGS)
def schemas(request: MemberRequest) -> HttpResponse:
    """List the versions, and show the form to upload another one."""
    return _render_list(request)


@require_POST
@requires(Permission.MANAGE_SCHEMAS)
def upload(request: MemberRequest) -> HttpResponse:
    """Store a schema and redirect to it, or list everything that is wrong with it."""
    try:
        content = UploadForm(request.POST, request.FILES).content()
        schema, _ = actions.upload(content=content, by=request.member, now=timezone.now())
    except SchemaError as error:
        return _render_list(request, error.problems, request.POST.get("text", ""), status=422)
    return redirect("schema", schema.pk)


@require_GET
@requires(Permission.READ_SETTINGS)
def schema(request: MemberRequest, schema_id: UUID) -> HttpResponse:
    """Show a version: who decided on it, what it changes, and its fields."""
    return _render(request, schema_id)


@require_GET
@requires(Permission.READ_SETTINGS)
def download(request: MemberRequest, schema_id: UUID) -> HttpResponse:
    """Download a version as it can be uploaded again."""
    found = _find(request, schema_id)
    text = json.dumps(queries.read_document(found), indent=2, ensure_ascii=False) + "\n"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="schema-{found.name}.json"'
    return response


@require_POST
@requires(Permission.MANAGE_SCHEMAS)
@requires_proof(Purpose.SCHEMA)
def propose(request: MemberRequest, schema_id: UUID) -> HttpResponse:
    """Propose a version. It takes a proof like the approval: otherwise one person at somebody's open browser could be both."""
    return _decide(request, schema_id, actions.propose)


@require_POST
@requires(Permission.MANAGE_SCHEMAS)
@requires_proof(Purpose.SCHEMA)
def approve(request: MemberRequest, schema_id: UUID) -> HttpResponse:
    """Approve a version that somebody else proposed."""
    return _decide(request, schema_id, actions.approve)


@require_POST
@requires(Permission.MANAGE_SCHEMAS)
def decline(request: MemberRequest, schema_id: UUID) -> HttpResponse:
    """Decline somebody else's proposal, or withdraw one's own."""
    return _decide(request, schema_id, actions.decline)


def _decide(request: MemberRequest, schema_id: UUID, decide: Callable[..., object]) -> HttpResponse:
    act = partial(decide, schema_id=schema_id, by=request.member, now=timezone.now())
    return answer_decision(act, partial(_render, request, schema_id), "schema", schema_id)


def _find(request: MemberRequest, schema_id: UUID) -> queries.Version:
    found = queries.find_version(request.member.organisation, schema_id)
    if found is None:
        raise Http404
    return found


def _render_list(request: MemberRequest, problems: Sequence[tuple[str, str]] = (), text: str = "", status: int = 200) -> HttpResponse:
    organisation = request.member.organisation
    context = {
        "organisation": organisation,
        "rows": queries.list_versions(organisation),
        "unlisted": queries.count_unlisted(organisation),
        "problems": problems,
        "text": text,
    }
    return render(request, "snapshots/schemas.html", context, status=status)


def _render(request: MemberRequest, schema_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    found = _find(request, schema_id)
    base = queries.find_base(request.member.organisation, found)
    context = {
        "row": found,
        "schema": found.schema,
        "base": base,
        "changes": queries.differences(base, found),
        "is_own": found.waiting is not None and found.waiting.proposed_by == request.member.user_id,
        "notice": notice,
    }
    return render(request, "snapshots/schema.html", context, status=status)
