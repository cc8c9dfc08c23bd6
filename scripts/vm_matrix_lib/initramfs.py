# SPDX-License-Identifier: BSD-2-Clause
"""Makes the root file system of a guest, a cpio archive (Documentation/driver-api/early-userspace/buffer-format.rst)."""

import os
import shutil
import stat
import subprocess
import tempfile


class Initramfs:
    def __init__(self, strip="strip"):
        self._strip = strip
        self._entries = []
        self._folders = set()
        # The first program needs it for standard output.
        self._add("dev/console", stat.S_IFCHR | 0o600, b"", device=(5, 1))

    def add_file(self, name, path, strip=None):
        """`strip`: the option of strip for the program of this name."""
        data = _stripped(path, self._strip, strip) if strip else _read(path)
        self._add(name, stat.S_IFREG | (stat.S_IMODE(os.stat(path).st_mode) & 0o755), data)

    def write(self, path):
        open(path, "wb").close()
        self.append(path)

    def append(self, path):
        """The kernel unpacks one archive after the other."""
        with open(path, "ab") as file:
            for number, (name, mode, data, device) in enumerate(self._entries + [("TRAILER!!!", 0, b"", (0, 0))], 1):
                encoded = name.encode() + b"\0"
                fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, device[0], device[1], len(encoded), 0)
                file.write(b"070701" + b"".join(b"%08X" % field for field in fields) + encoded)
                _pad(file)
                file.write(data)
                _pad(file)

    def _add(self, name, mode, data, device=(0, 0)):
        folder = os.path.dirname(name)
        parts = folder.split("/") if folder else []
        for end in range(1, len(parts) + 1):
            parent = "/".join(parts[:end])
            if parent not in self._folders:
                self._folders.add(parent)
                self._entries.append((parent, stat.S_IFDIR | 0o755, b"", (0, 0)))
        self._entries.append((name, mode, data, device))


def _pad(file):
    file.write(b"\0" * (-file.tell() % 4))


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _stripped(path, program, option):
    """Strips a program: a small guest has no memory for debug information."""
    if not shutil.which(program):
        return _read(path)
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run([program, option, "-o", out.name, path], check=False, stderr=subprocess.DEVNULL)
        return _read(out.name if done.returncode == 0 else path)
