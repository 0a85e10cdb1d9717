"""Tables of figures as text: what each group's figures are, and how they have moved since those that are committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Table = Mapping[str, Mapping[str, float]]
"""Figures by group and name; counts are whole, the others shares between 0 and 1."""

_LEFT = 46
_WIDTH = 12
_WIDTH_WITH_CHANGE = 18
_FELT = 0.00005


def lines_of(table: Table) -> Iterator[str]:
    """One line a group below the names of the figures."""
    names = _names(table)
    yield _line("", names, _WIDTH)
    for group, figures in table.items():
        yield _line(group, [_figure(figures.get(name)) for name in names], _WIDTH)


def lines_of_changes(now: Table, before: Table) -> Iterator[str]:
    """The groups in which a figure has moved, each figure with its change; how many have not."""
    moved = {group: now.get(group, {}) for group in {**now, **before} if _has_moved(now.get(group, {}), before.get(group, {}))}
    names = _names(now)
    if moved:
        yield _line("", names, _WIDTH_WITH_CHANGE)
    for group, figures in moved.items():
        yield _line(group, [_with_change(figures.get(name), before.get(group, {}).get(name)) for name in names], _WIDTH_WITH_CHANGE)
    if same := len(now.keys() - moved.keys()):
        yield f"  {same} of {len(now)} lines as committed"


def rounded(table: Table) -> dict[str, dict[str, float]]:
    """To four decimals, as figures are kept."""
    return {group: {name: round(each, 4) for name, each in figures.items()} for group, figures in table.items()}


def _names(table: Table) -> list[str]:
    return list(dict.fromkeys(name for figures in table.values() for name in figures))


def _line(left: str, cells: list[str], width: int) -> str:
    return f"  {left[: _LEFT - 1]:<{_LEFT}}" + "".join(f"{cell:>{width}}" for cell in cells)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _has_moved(now: Mapping[str, float], before: Mapping[str, float]) -> bool:
    return now.keys() != before.keys() or any(abs(now[name] - before[name]) >= _FELT for name in now)


def _with_change(now: float | None, before: float | None) -> str:
    if now is None or before is None:
        return _figure(now) + (" new" if now is not None else " gone" if before is not None else "")
    change = now - before
    if abs(change) < _FELT:
        return _figure(now)
    return f"{_figure(now)} {change:+d}" if isinstance(change, int) else f"{_figure(now)} {change:+.4f}"
