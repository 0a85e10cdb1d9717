"""Input from people with bad intentions or with broken programs."""

from __future__ import annotations

NAMES = ["state", "source", "guardrail", "section", "model", "prompt", "since", "until", "flagged", "search", "after", "before"]
NAMES += ["nothing", "unfound", "next", "page", "query", ""]

VALUES = {
    "NUL": "%00",
    "NUL within": "a%00b",
    "no UTF-8": "%ff%fe",
    "half a surrogate": "%ed%a0%80",
    "half an escape": "%",
    "control characters": "%01%0d%0a%1b%7f",
    "a huge number": "9" * 5_000,
    "a negative number": "-1",
    "no number": "1e999",
    "other digits": "%D9%A3%EF%BC%99",
    "the first day": "0001-01-01",
    "the last day": "9999-12-31",
    "no day": "2026-02-30",
    "a page key before time": "0001-01-01T00:00:00%2B14:00~" + "0" * 32,
    "a page key after time": "9999-12-31T23:59:59-14:00~" + "f" * 32,
    "a page key in no zone of a database": "2026-01-01T00:00:00%2B23:59~" + "f" * 32,
    "a page key without a zone": "2026-01-01T00:00:00~" + "f" * 32,
    "a page key without an identifier": "2026-01-01T00:00:00Z~",
    "quotes": "%27%22%3B--%5C",
    "markup": "%3Cscript%3E",
    "operators": "%26%7C%21%3A%2A%28%29",
    "long": "x" * 7_000,
}

TEXTS = (
    "abc",
    "\x00",
    "a\x00b",
    "\x01\r\n\x1b\x7f",
    "9" * 19,
    "9" * 400,
    "9" * 5_000,
    "-1",
    "-9223372036854775809",
    "1e999",
    "nan",
    "inf",
    "-0.0",
    "\u0663\uff11",
    "0001-01-01",
    "9999-12-31",
    "2026-02-30",
    "0001-01-01T00:00:00+14:00~" + "0" * 32,
    "9999-12-31T23:59:59-14:00~" + "f" * 32,
    "00000000-0000-0000-0000-000000000000",
    "{" + "f" * 32 + "}",
    "'\";--\\<>&|!:*()",
    "//elsewhere.example/",
    "http://[::1",
    "/\\elsewhere.example",
    "/queue/?a=%00",
    "javascript:alert(1)",
    "item",
    "\ud800",
    "\ufffe\u202e",
    "x" * 7_000,
    "a&b=c" * 1_000,
    "[" * 3_000,
    "true",
    "",
)
"""For one parameter at a time, by its name. Half a surrogate is sent as the bytes that would stand for it."""

BODIES = {
    "nothing": ("", "application/x-www-form-urlencoded"),
    "no form": ("\x00\xff{[", "application/x-www-form-urlencoded"),
    "no UTF-8": (b"row=%ff&note=\xff\xfe&words=\xed\xa0\x80", "application/x-www-form-urlencoded"),
    "a thousand fields": ("&".join(f"f{number}=1" for number in range(1_500)), "application/x-www-form-urlencoded"),
    "JSON": ('{"row": 0}', "application/json"),
    "text": ("row=0", "text/plain"),
    "no type": ("row=0", ""),
    "a type of nonsense": ("row=0", "/;;=\x01"),
    "parts without a boundary": ("row=0", "multipart/form-data"),
    "parts that do not end": (b'--x\r\nContent-Disposition: form-data; name="row"\r\n\r\n0', "multipart/form-data; boundary=x"),
    "parts that are none": (b"\x00\x01", "multipart/form-data; boundary=x"),
    "a part that is a file": (
        b'--x\r\nContent-Disposition: form-data; name="row"; filename="../a"\r\nContent-Type: text/plain\r\n\r\n0\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "a part in no base64": (
        b'--x\r\nContent-Disposition: form-data; name="row"\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "another encoding": (b"\xff\xfer\x00=\x000\x00", "application/x-www-form-urlencoded; charset=utf-16"),
    "parts in no encoding of text": (
        b'--x\r\nContent-Disposition: form-data; name="row"\r\n\r\n0\r\n--x--\r\n',
        "multipart/form-data; boundary=x; charset=hex",
    ),
    "an encoding that is none": ("row=0", "application/x-www-form-urlencoded; charset=klingon"),
}

HEADERS = {
    "an unknown part": {"HX-Request": "true", "HX-Target": "\x00'\"<>", "HX-Current-URL": "::not an address::"},
    "an address in another script": {"HX-Request": "true", "HX-Current-URL": "http://[::1/%ff", "HX-Current-URL-URI-AutoEncoded": "true"},
    "a cookie of nonsense": {"Cookie": "sessionid=\x01\xff; csrftoken='; messages=x; =; ;"},
    "long tokens": {"X-CSRFToken": "x" * 5_000, "Accept-Language": "x" * 5_000, "Accept": "\xff"},
    "a method in a header": {"X-HTTP-Method-Override": "DELETE"},
    "a date of nonsense": {"If-Modified-Since": "yesterday", "If-None-Match": "\xff", "Range": "bytes=9-1"},
}

ODD_IDS = ["x", "0", "-1", "%00", "%ff", "..", "%2e%2e", "1" * 500, "00000000-0000-0000-0000-00000000000g", "\u0663" * 8]


def check_answer(response) -> None:
    """Refused or done, but answered."""
    assert response.status_code < 500
    assert b"Traceback" not in (b"".join(response.streaming_content) if response.streaming else response.content)
