"""What verifying ends with where anything is not as it should be."""

from __future__ import annotations


class Doubt(Exception):  # noqa: N818 — it is none of the program
    """Something in a bundle is not what it is said to be. Says where, and what."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what
