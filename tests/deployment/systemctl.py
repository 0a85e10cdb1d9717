"""A stand-in for systemctl where no systemd runs: it starts what a unit says, as its user, with what the unit may read and write."""

from __future__ import annotations

import os
import pwd
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

FOLDERS = (Path("/etc/systemd/system"), Path("/lib/systemd/system"))
RUNNING, LOGS = Path("/run/stand-in"), Path(os.environ["RESULTS"])

CONFINE = """
for path in $WRITABLE; do mount --bind "$path" "$path"; done
for path in $HIDDEN; do [ ! -e "$path" ] || mount -t tmpfs -o mode=000,size=4k none "$path"; done
mount -t tmpfs none /tmp && chmod 1777 /tmp
for path in $PROTECTED; do mount -o remount,bind,ro "$path"; done
exec setpriv --reuid "$USER" --regid "$USER" --init-groups --no-new-privs env -u WRITABLE -u HIDDEN -u PROTECTED "$@"
"""
"""What InaccessiblePaths, ReadWritePaths, PrivateTmp, ProtectSystem, NoNewPrivileges and User mean, in a mount namespace."""

Unit = dict[str, list[str]]


def read_unit(name: str) -> Unit:
    """Return the values of a unit by their names; a name may be there several times."""
    place = next(folder / name for folder in FOLDERS if (folder / name).exists())
    unit: Unit = defaultdict(list)
    for line in place.read_text().splitlines():
        key, is_set, value = line.partition("=")
        if is_set and not line.startswith("#"):
            unit[key].append(value)
    return unit


def command_of(line: str) -> list[str]:
    return shlex.split(line.replace("%%", "%").replace("$$", "$").lstrip("-"))


def run(name: str, unit: Unit, line: str) -> subprocess.Popen[bytes]:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    for file in unit["EnvironmentFile"]:
        environment |= dict(each.split("=", 1) for each in Path(file).read_text().splitlines())
    command = command_of(line)
    if unit["User"]:
        assert unit["ProtectSystem"] == ["strict"]
        assert (unit["PrivateTmp"], unit["NoNewPrivileges"]) == (["yes"], ["yes"])
        hidden, writable = (" ".join(unit[key]).replace(" -", " ").lstrip("-") for key in ("InaccessiblePaths", "ReadWritePaths"))
        environment |= {"USER": unit["User"][0], "HIDDEN": hidden, "WRITABLE": writable, "PROTECTED": "/ /etc /opt /opt/footnote /run /var"}
        environment |= {"HOME": pwd.getpwnam(unit["User"][0]).pw_dir}
        command = ["unshare", "--mount", "sh", "-euc", CONFINE, "sh", *command]
    folder = unit["WorkingDirectory"][0] if unit["WorkingDirectory"] else "/"
    with (LOGS / f"{name}.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 — what the unit says
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0
        )


def start(name: str) -> int:
    if name == "postgresql.service":  # Debian's starts each cluster by a unit of its own
        version, cluster = subprocess.check_output(["pg_lsclusters", "--no-header"], text=True).split()[:2]  # noqa: S607 — Debian's
        return subprocess.run(["pg_ctlcluster", version, cluster, "start"], check=False).returncode  # noqa: S603, S607 — Debian's
    unit = read_unit(name)
    process = run(name, unit, unit["ExecStart"][0])
    if unit["Type"] == ["oneshot"]:
        status = process.wait()
        return status or (run(name, unit, unit["ExecStartPost"][0]).wait() if unit["ExecStartPost"] else 0)
    RUNNING.mkdir(exist_ok=True)
    (RUNNING / name).write_text(str(process.pid))
    if unit["Type"] == ["forking"]:
        return process.wait()
    time.sleep(1)
    return process.poll() or 0


def stop(name: str) -> int:
    pid = int((RUNNING / name).read_text())
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + int(read_unit(name)["TimeoutStopSec"][0])
    while Path(f"/proc/{pid}").exists() and "Z (" not in Path(f"/proc/{pid}/stat").read_text().replace(") Z", "Z ("):
        assert time.monotonic() < deadline, f"{name} does not stop"
        time.sleep(0.1)
    return 0


def reload_or_restart(name: str) -> int:
    unit = read_unit(name)
    if not (RUNNING / name).exists():
        return start(name)
    return run(name, unit, unit["ExecReload"][0]).wait()


def main(verb: str, *names: str) -> int:
    """Do it with each unit, one after the other."""
    units = [name if "." in name else f"{name}.service" for name in names if not name.startswith("-")]
    if verb == "daemon-reload":
        return 0
    if verb == "enable":
        assert "--now" in names
        assert all(read_unit(name)["WantedBy"] for name in units)
        units = [name for name in units if not name.endswith(".timer")]
    if verb == "restart":
        return max([*map(stop, units), *map(start, units)])
    verbs = {"enable": start, "start": start, "stop": stop, "reload-or-restart": reload_or_restart}
    return max(map(verbs[verb], units))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
