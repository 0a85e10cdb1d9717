"""What our nodes draw is what Django's draw, whatever they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest
from django.template import Context, RequestContext, Template, engines
from django.template.base import VariableNode
from django.utils.functional import SimpleLazyObject, lazystr
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from reviewers.review.models import State
from reviewers.web.templating.loading import QuickTemplate
from reviewers.web.templating.nodes import QuickVariable


class Point(NamedTuple):
    across: int
    count: int


@dataclass
class Thing:
    name: str = "<b>Ada & Co</b>"
    parts: dict[str, Any] = field(default_factory=lambda: {"items": "own", "inner": {"deep": 1.5}, "2": "two"})
    pair: tuple[int, str] = (7, "<x>")
    point: Point = field(default_factory=lambda: Point(3, 4))
    nothing: None = None

    def called(self) -> str:
        return "called <i>"

    def picky(self, value: object) -> object:
        return value

    def removes(self) -> str:
        raise AssertionError("a template called what changes things")

    removes.alters_data = True  # type: ignore[attr-defined]  # how Django is told

    @property
    def gone(self) -> object:
        raise ObjectDoesNotExist

    @property
    def broken(self) -> object:
        raise KeyError("broken")

    @property
    def lacking(self) -> object:
        raise AttributeError("lacking")

    def __str__(self) -> str:
        return "<thing>"


class Shown:
    def __html__(self) -> str:
        return "<em>"

    def __str__(self) -> str:
        return "<em>"


class Kept:
    do_not_call_in_templates = True
    label = "kept <b>"

    def __call__(self) -> object:
        raise AssertionError("called")


def values() -> dict[str, Any]:
    """Anew for each drawing: a generator is used up."""
    return {
        "thing": Thing(),
        "lazy": SimpleLazyObject(Thing),
        "maker": Thing,
        "kept": Kept(),
        "shown": Shown(),
        "state": State.TO_DO,
        "text": "a < b & 'c' \"d\"",
        "safe": mark_safe("<u>"),
        "made": format_html("<a>{}</a>", "<"),
        "later": lazystr("<later>"),
        "number": 1234567,
        "yes": True,
        "none": None,
        "share": 0.5,
        "large": 12345.678,
        "exact": Decimal("1234.50"),
        "moment": datetime(2026, 3, 3, 19, 42, tzinfo=UTC),
        "day": datetime(2026, 3, 3, tzinfo=UTC).date(),
        "rows": [Thing("one"), Thing("<two>"), Thing("")],
        "pairs": [("a", 1), ("<b>", 2), ("", 0)],
        "stream": (str(number) for number in range(3)),
        "empty": [],
        "names": {"a": 1, "b": 2},
        "page_id": 5,
        "identifier": "019a0000-0000-7000-8000-000000000000",
    }


SOURCES = [
    *("{{ " + name + " }}" for name in values()),
    "{{ missing }}|{{ thing.missing }}|{{ missing.name }}|{{ number.missing }}|{{ none.missing }}|{{ text.missing }}",
    "{{ thing.name }}|{{ thing.parts.inner.deep }}|{{ thing.parts.items }}|{{ thing.parts.2 }}|{{ thing.parts.keys|length }}",
    "{{ thing.pair.0 }}|{{ thing.pair.1 }}|{{ thing.pair.9 }}|{{ thing.point.across }}|{{ thing.point.count }}|{{ thing.point.1 }}",
    "{{ thing.called }}|{{ thing.picky }}|{{ thing.removes }}|{{ thing.gone }}|{{ thing.gone.more }}|{{ thing.nothing }}",
    "{{ maker.name }}|{{ kept.label }}|{{ lazy.name }}|{{ lazy.called }}|{{ rows.0.name }}|{{ rows.count }}|{{ text.upper }}|{{ text.0 }}",
    "{{ names.a }}|{{ names.items|length }}|{{ state }}|{{ state.label }}|{{ state.value }}|{{ True }}|{{ None }}|{{ template_name }}",
    "{{ 'a<b' }}|{{ \"c\" }}|{{ 3 }}|{{ 2.5 }}|{{ -1 }}|{{ 'x'|upper }}",
    "{{ text|upper }}|{{ safe|upper }}|{{ safe|lower }}|{{ text|default:'x' }}|{{ missing|default:'<x>' }}|{{ none|default_if_none:safe }}",
    "{{ pairs|length }}|{{ rows|join:', ' }}|{{ rows|join:text }}|{{ number|add:page_id }}|{{ text|linebreaks }}|{{ large|floatformat:1 }}",
    "{{ moment|date:'H:i T' }}|{{ text|cut:safe }}|{{ text|escape }}|{{ text|safe }}|{{ number|stringformat:'08d' }}|{{ empty|first }}",
    "{% autoescape off %}{{ text }}{{ number }}{{ large }}{% url 'item' '019a0000-0000-7000-8000-000000000000' %}{% endautoescape %}",
    "{{ text }}",
    "{% if thing %}a{% endif %}{% if missing %}b{% else %}c{% endif %}{% if empty %}d{% elif number > 3 %}{{ text }}{% else %}e{% endif %}",
    "{% if missing.more or none %}a{% elif thing.name == 'x' and yes %}b{% elif not yes %}c{% endif %}{% if 'a' in names %}d{% endif %}",
    "{% if thing.gone %}a{% else %}b{% endif %}{% if number|add:1 == 1234568 %}c{% endif %}",
    "{% if 3 in number %}d{% endif %}{% if none is None %}e{% endif %}",
    "{% if thing.called %}{% comment %}x{% endcomment %}{% endif %}|{% if yes %}{% endif %}|{% if yes %}{# none #} text {% endif %}",
    "{% for row in rows %}{{ forloop.counter }}/{{ forloop.revcounter0 }}{{ row.name }}{% if not forloop.last %},{% endif %}{% endfor %}",
    "{{ row }}",
    "{% for name, value in pairs %}{% for row in rows %}{{ forloop.parentloop.counter0 }}{{ name }}{{ row.name }}{% endfor %}{% endfor %}",
    "{{ name }}",
    "{% for name, value in names.items reversed %}{{ name }}={{ value }}{% if forloop.first %};{% endif %}{% endfor %}{{ value }}",
    "{% for each in empty %}a{% empty %}none {{ forloop }}{% endfor %}",
    "{% for each in missing %}a{% empty %}b{% endfor %}{% for each in none %}a{% endfor %}",
    "{% for each in stream %}{{ each }}{{ forloop.last }}{% endfor %}{% for letter in text %}{{ letter }}{% endfor %}",
    "{% for row in rows %}{% with row=row.name %}{{ row }}{% endwith %}{{ row.pair.0 }}{% cycle 'odd' 'even' %}{% endfor %}",
    "{% for row in rows %}{% ifchanged row.pair %}{{ row.name }}{% endifchanged %}{% firstof row.nothing row.name %}{% endfor %}",
    "{% for row in rows %}{% url 'queue' %}{% url 'plan' plan_id=identifier %}{% url 'queue' as here %}{{ here }}{% endfor %}",
    "{% csrf_token %}{% with csrf_token='<token>' %}{% csrf_token %}{% endwith %}",
    "{% for row in rows %}{% include 'components/remarks.html' with finding=row %}{% endfor %}",
]

FAILING = [
    "{{ text|cut:missing }}",
    "{{ thing.broken }}",
    "{{ thing.lacking }}",
    "{% for row in rows %}{{ row.broken }}{% endfor %}",
    "{% for a, b in rows %}{{ a }}{% endfor %}",
    "{% for a, b, c in pairs %}{{ a }}{% endfor %}",
    "{% for each in number %}{% endfor %}",
    "{% url 'no-such-page' %}",
    "{{ text|add:missing.more|date:number|cut:text }}",
]


def drawn(kind: Callable[..., Template], source: str, request: HttpRequest | None = None) -> tuple[object, ...]:
    """What comes of it: the text, or the failure."""
    engine = engines["django"].engine  # type: ignore[attr-defined]  # that of Django's own backend
    context = RequestContext(request, values()) if request else Context(values())
    template = kind(source, engine=engine)
    before = len(context.dicts)
    try:
        text = template.render(context)
    except Exception as error:  # noqa: BLE001 — which one it is, is what is compared
        return type(error), str(error).partition(" in [")[0]
    return text, len(context.dicts) - before


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_drawn_is_what_django_draws(source: str, rf: Any) -> None:
    for request in (None, rf.get("/")):
        text, left_over = expected = drawn(Template, source, request)
        assert left_over == 0, text
        assert _untold(drawn(QuickTemplate, source, request)) == _untold(expected)


@pytest.mark.parametrize("source", FAILING)
def test_what_fails_fails_as_it_does_there(source: str) -> None:
    expected = drawn(Template, source)
    assert isinstance(expected[0], type), expected
    assert drawn(QuickTemplate, source) == expected


def test_a_page_is_drawn_by_our_nodes() -> None:
    template = engines["django"].get_template("review/queue.html").template  # type: ignore[attr-defined]  # the same
    kinds = {type(node) for node in template.nodelist.get_nodes_by_type(VariableNode)}
    assert kinds == {QuickVariable}


def _untold(result: tuple[object, ...]) -> tuple[object, ...]:
    """A token is masked anew each time it is asked for; a generator is told by its place in memory."""
    text, *more = result
    parts = str(text).partition('name="csrfmiddlewaretoken" value="')
    token, end, rest = parts[2].partition('"')
    is_made = len(token) == 64
    return (parts[0].partition(" at 0x")[0] + parts[1] + ("" if is_made else token) + end + rest, *more)
