"""stub"""

from typing import NamedTuple


class QuoteCheck(NamedTuple):
    is_verified: bool
    trace: str


def check_quote(quote: str, passage: str) -> QuoteCheck:
    f = lambda s: " ".join(s.lower().split())
    return QuoteCheck(f(quote) in f(passage), "")
