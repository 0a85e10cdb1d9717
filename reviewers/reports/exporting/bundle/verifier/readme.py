"""The text that lies in a bundle beside its files. It is checked as they are, so that nobody is told there to do something else."""

from __future__ import annotations

README = """A report with its evidence.

To verify it:     python verify.py BUNDLE [KEY ...]
It needs:         Python 3.11 or newer and the package cryptography, and no network.

Use a verify.py that you have from elsewhere: from whoever made the report, or from a bundle that came another way. One that came with
what it is to judge may have been changed with it. The SHA-256 of the right one stands on the page of the export, and in the log, in the
event of the report's making. Compare it first:

                  sha256sum verify.py

report.jsonl      the report: its head, an answer a line, its end
events.jsonl      the events behind it: the bytes that were sealed, where they stand in the log and what proves it;
                  of what they committed to, what the report tells is disclosed with its salt, and the rest withheld
documents.jsonl   what the engine said of each answer, by whose digest the log names it
checkpoints.json  the log's size and root, signed
keys.json         the public keys that signed
verify.py         the program that verifies a bundle
manifest.json     the size and the SHA-256 of each of these files
"""
