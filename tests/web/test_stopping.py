"""A command that is told to stop ends, at whatever moment the signal comes."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from benchmarks.site import ROOT

BUSY = """
import os, signal, time
from manage import end_on_signals

class Dying:
    def __del__(self):
        os.kill(os.getpid(), {signal})
        sum(range(100_000))

def work():
    {work}
    time.sleep(60)

signal.signal({signal}, signal.SIG_DFL)  # whoever started the tests may ignore it
end_on_signals()
try:
    work()
finally:
    print("cleared up")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["terminated", "hung up"])
@pytest.mark.parametrize("work", ["os.kill(os.getpid(), {signal})", "Dying()"], ids=["at work", "while an object is finalised"])
def test_a_command_clears_up_and_ends(number, work):
    program = BUSY.replace("{work}", work).replace("{signal}", str(int(number)))

    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 — our own

    assert ended.returncode == 128 + number
    assert ended.stdout == "cleared up\n"
    assert ended.stderr == ""
