# SPDX-License-Identifier: BSD-2-Clause
"""Finds the shared libraries that a program needs."""

import os
import re
import subprocess


def needed(program, sysroot):
    """Returns (name in the guest, path) of the interpreter and libraries of `program`, which are below `sysroot`. A library
    that is missing raises FileNotFoundError."""
    found = {}
    waiting = [program]
    while waiting:
        text = subprocess.run(["readelf", "-W", "-l", "-d", waiting.pop()], check=True, capture_output=True, text=True).stdout
        interpreter = re.search(r"program interpreter: (/[^]]+)]", text)
        if interpreter:
            found[interpreter[1].lstrip("/")] = _real(sysroot, [interpreter[1]])
        for name in re.findall(r"\(NEEDED\)\s+Shared library: \[(.+)]", text):
            place = f"lib/{name}"
            if place in found:
                continue
            found[place] = _real(sysroot, [f"/{folder}/{name}" for folder in _folders(sysroot)])
            waiting.append(found[place])
    return sorted(found.items())


def _folders(sysroot):
    """Returns the folders of libraries of one architecture, as Debian names them."""
    for folder in ("lib", "usr/lib"):
        for name in sorted(os.listdir(os.path.join(sysroot, folder))):
            if name.endswith("-linux-gnu"):
                yield f"{folder}/{name}"


def _real(sysroot, paths):
    for path in paths:
        here = os.path.join(sysroot, path.lstrip("/"))
        if os.path.exists(here):
            return os.path.realpath(here)
    raise FileNotFoundError(f"{paths[0]} is not below {sysroot}")
