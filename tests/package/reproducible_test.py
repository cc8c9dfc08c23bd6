#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the Debian packages again in another folder, at another time and without a compiler cache: the bytes are the
same."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import ROOT  # noqa: E402

PACKAGES = os.path.join(ROOT, "build/deb")


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".deb"):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class Reproducible(unittest.TestCase):
    def test_other_folder_other_time(self):
        first = digests(PACKAGES)
        self.assertEqual(len(first), 4)
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TZ="Asia/Tokyo", CCACHE_RECACHE="1")
            subprocess.run([os.path.join(ROOT, "scripts/build_deb"), os.path.join(folder, "somewhere/else")], check=True,
                           env=environment, stdout=subprocess.DEVNULL)
            self.assertEqual(digests(os.path.join(folder, "somewhere/else")), first)


if __name__ == "__main__":
    if "--packages" in sys.argv:
        at = sys.argv.index("--packages")
        PACKAGES = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if not shutil.which("dpkg-buildpackage"):
        harness.skip("no dpkg-buildpackage (make deps DEPS=package)")
    harness.main()
