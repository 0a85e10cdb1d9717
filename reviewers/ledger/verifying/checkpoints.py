"""Whether each checkpoint of a log is of its tree, and signed."""

from __future__ import annotations

from collections.abc import Iterator

from reviewers.ledger.merkle.checkpoint import open_checkpoint, read_checkpoint
from reviewers.ledger.merkle.frontier import Frontier
from reviewers.ledger.merkle.strict import FormError
from reviewers.ledger.models import Checkpoint, Leaf, Log
from reviewers.ledger.sealing import checkpoint_id
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.keys import Keys
from reviewers.ledger.verifying.paging import each


class Checkpoints:
    """The checkpoints of a log, in the order of their sizes, each looked at when the tree has its size."""

    def __init__(self, log: Log, published: str) -> None:
        self._log = log
        self._published = published
        self._rows: Iterator[Checkpoint] = each(Checkpoint.objects.filter(log=log), "size")
        self._next = next(self._rows, None)
        self.count = 0
        self._last = 0
        self._is_chained = False

    def check(self, frontier: Frontier, keys: Keys) -> None:
        """Those of the size that the tree has now."""
        while self._next is not None and self._next.size <= frontier.size:
            self._check_none_between(self._next, _check(self._next, self._log, frontier, keys))
            self.count, self._last = self.count + 1, self._next.size
            self._next = next(self._rows, None)

    def check_end(self, frontier: Frontier) -> None:
        """The last one is of all leaves there are, and nothing larger was ever published."""
        if self._next is not None:
            raise Differs(Checkpoint, self._next.id, f"is of more leaves than the {frontier.size} there are", "size")
        if self._last != frontier.size:
            stray = Checkpoint.objects.filter(note__startswith=f"{self._log.origin}\n").exclude(log=self._log).first()
            if stray:
                raise Differs(Checkpoint, stray.id, "is of another log", "log_id")
            leaf = Leaf.objects.filter(log=self._log, index__gte=self._last).order_by("index").first()
            raise Differs(Leaf, leaf.id if leaf else "", "no checkpoint is of this leaf")
        known = read_checkpoint(self._published) if self._published else None
        if known and known.origin == self._log.origin:
            self._check_published(known.size)

    def _check_none_between(self, row: Checkpoint, after: int | None) -> None:
        """Each names the one before it; only the first ones of a log from before that was kept do not."""
        if after is None and self._is_chained:
            raise Differs(Checkpoint, row.id, "does not name the checkpoint before it, as the one before does", "note")
        if after not in (None, self._last):
            raise Differs(Checkpoint, row.id, f"a checkpoint of {after} leaves was signed before this one, and is not here", "size")
        self._is_chained = after is not None

    def _check_published(self, size: int) -> None:
        row = Checkpoint.objects.filter(log=self._log, size=size).first()
        if row is None:
            raise Differs(Log, self._log.id, f"a checkpoint of {size} leaves was published, and is not here")
        if row.note != self._published:
            raise Differs(Checkpoint, row.id, "is not the one that was published", "note")


def _check(row: Checkpoint, log: Log, frontier: Frontier, keys: Keys) -> int | None:
    """Returns the size of the one that was signed before it, where it names that."""
    is_whole = row.id == checkpoint_id(row.note)
    try:
        told = read_checkpoint(row.note)
        if told.origin != log.origin:
            raise Differs(Checkpoint, row.id, "is of another log", "log_id" if is_whole else "note")
        open_checkpoint(row.note, keys.current)
    except FormError as error:
        raise Differs(Checkpoint, row.id, str(error), "note") from error
    if told.size != row.size:
        raise Differs(Checkpoint, row.id, "is not the size that is signed", "size" if is_whole else "note")
    if (told.size, told.root) != (frontier.size, frontier.root):
        raise Differs(Checkpoint, row.id, "its root is not that of the leaves", "note")
    if not is_whole:
        raise Differs(Checkpoint, row.id, "is not made of the note", "id")
    return told.after
