#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Installs the Debian packages in a fresh Debian 12, uses their programs, and removes them.

Needs root, mmdebstrap, and the mirror of this machine's apt."""

import glob
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import ROOT  # noqa: E402

PACKAGES = os.path.join(ROOT, "build/deb")
NAMES = ("fxt-record", "libfxt-dev", "libfxt-provider", "fxt-sqlite")
SUITE = "bookworm"

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from vm_matrix_lib import private_apt  # noqa: E402  pylint: disable=wrong-import-position


def run(*command, **more):
    return harness.run(*command, ok=(0,), timeout=1200, **more).stdout


def mirrors():
    """Returns the machine's mirrors as apt sources of the release."""
    lines = []
    for uri, signed_by, is_security in private_apt.machine_mirrors():
        suite = f"{SUITE}-security" if is_security else SUITE
        lines.append(f"deb {f'[signed-by={signed_by}] ' if signed_by else ''}{uri} {suite} main")
    return "\n".join(lines) + "\n"


class Lintian(unittest.TestCase):
    @unittest.skipUnless(shutil.which("lintian"), "no lintian (make deps DEPS=package)")
    def test_clean(self):
        packages = glob.glob(os.path.join(PACKAGES, "*.deb"))
        self.assertEqual(len(packages), len(NAMES))
        words = ["--allow-root"] if os.geteuid() == 0 else []
        done = harness.run("lintian", *words, "--fail-on", "error,warning", *packages, timeout=1200)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = os.path.join(harness.class_folder(cls), "root")
        # All dependencies are installed from outside, so apt inside fetches nothing.
        needed = {"sqlite3"}
        for path in glob.glob(os.path.join(PACKAGES, "*.deb")):
            needed.update(re.findall(r"([a-z0-9.+-]+)(?: \([^)]*\))?(?:, |$)", run("dpkg-deb", "-f", path, "Depends").strip()))
        run("mmdebstrap", "--mode=root", "--variant=apt", f"--include={','.join(sorted(needed))}", SUITE, cls.root, "-",
            input=mirrors())
        for name in ("proc", "sys", "dev"):
            run("mount", "--rbind", f"/{name}", os.path.join(cls.root, name))
            run("mount", "--make-rslave", os.path.join(cls.root, name))
            cls.addClassCleanup(run, "umount", "--recursive", os.path.join(cls.root, name))
        os.makedirs(os.path.join(cls.root, "packages"))
        for path in glob.glob(os.path.join(PACKAGES, "*.deb")):
            shutil.copy(path, os.path.join(cls.root, "packages"))

    def inside(self, *command, **more):
        return run("chroot", self.root, "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                   "LC_ALL=C.UTF-8", "SYSTEMD_OFFLINE=1", *command, **more)

    def files(self):
        """Returns all files except logs, package lists and caches."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inner = "/" + os.path.relpath(folder, self.root)
            folders[:] = [name for name in folders if os.path.join(inner, name).lstrip("/.") not in
                          ("proc", "sys", "dev", "packages", "tmp", "run", "var/cache", "var/log", "var/lib/apt",
                           "var/lib/dpkg", "var/lib/systemd")]
            found.update(os.path.join(inner, name) for name in names)
        return found

    def test_installed_used_and_removed(self):
        before = self.files()
        self.inside("sh", "-c", "apt-get -q -y --no-install-recommends install /packages/*.deb")
        self.assertEqual(before - self.files(), set())
        self.check_programs()
        self.check_service()
        self.check_library()
        self.check_provider()
        self.inside("apt-get", "-q", "-y", "purge", *NAMES)
        self.assertEqual(self.files() ^ before, set())

    def check_programs(self):
        version = harness.read("VERSION").strip()
        for program in ("fxt", "fxt-record"):
            self.assertIn(version, self.inside(program, "--version"))
        self.inside("fxt-record", "-q", "-d", "500ms", "-o", "/tmp/trace.fxt")
        self.inside("fxt", "check", "/tmp/trace.fxt")
        self.inside("fxt", "draw", "/tmp/trace.fxt", "-o", "/tmp/strip.svg")
        counted = self.inside("fxt", "query", "--csv", "/tmp/trace.fxt", "SELECT count(*) AS n FROM slices").split()[1]
        self.assertGreater(int(counted), 0)
        answer = self.inside("sqlite3", ":memory:", ".load fxt_sqlite",
                             "CREATE VIRTUAL TABLE t USING fxt('/tmp/trace.fxt', slices)", "SELECT count(*) FROM t")
        self.assertEqual(answer.strip(), counted)

    def check_service(self):
        for name in ("lib/systemd/system/fxt-record.service", "lib/systemd/system/fxt-record.socket",
                     "etc/fxt-record.conf", "usr/share/bash-completion/completions/fxt",
                     "usr/share/zsh/vendor-completions/_fxt", "usr/share/fish/vendor_completions.d/fxt.fish"):
            self.assertTrue(os.path.exists(os.path.join(self.root, name)), name)
        # The package does not enable its service.
        wanted = glob.glob(os.path.join(self.root, "etc/systemd/system/*.wants/fxt-record*"))
        self.assertEqual(wanted, [])

    def check_library(self):
        """A program compiled here with the files of the package."""
        if not shutil.which("pkg-config") or not shutil.which("g++"):
            return
        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=self.root,
                           PKG_CONFIG_LIBDIR=glob.glob(os.path.join(self.root, "usr/lib/*/pkgconfig"))[0])
        flags = run("pkg-config", "--cflags", "--libs", "fxt", env=environment).split()
        program = os.path.join(self.root, "tmp/program")
        run("g++", "-std=c++20", "-static", os.path.join(ROOT, "tests/project/library/main.cc"), "-o", program, *flags)
        self.inside("/tmp/program", "/tmp/written.fxt")
        self.inside("fxt", "check", "/tmp/written.fxt")

    def check_provider(self):
        """A program linked with the library of the package runs inside."""
        if not shutil.which("pkg-config") or not shutil.which("gcc"):
            return
        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=self.root,
                           PKG_CONFIG_LIBDIR=glob.glob(os.path.join(self.root, "usr/lib/*/pkgconfig"))[0])
        flags = run("pkg-config", "--cflags", "--libs", "fxt-provider", env=environment).split()
        program = os.path.join(self.root, "tmp/provider")
        run("gcc", "-std=c11", os.path.join(ROOT, "tests/project/provider/main.c"), "-o", program, *flags)
        self.assertEqual(self.inside("/tmp/provider"), "another program\n")
        trace = "/tmp/provider.fxt"
        # The program returns 1 while it is recorded.
        self.inside("fxt-record", "-q", "--providers", "-o", trace, "--", "sh", "-c", "! /tmp/provider")
        self.inside("fxt", "check", trace)
        self.assertIn("another-program", self.inside("fxt", "dump", trace))
        self.assertIn("libfxt-provider.so.0", self.inside("/sbin/ldconfig", "-p"))
        self.assertTrue(os.path.exists(os.path.join(self.root, "usr/lib/python3/dist-packages/fxt_provider.py")))


if __name__ == "__main__":
    if "--packages" in sys.argv:
        at = sys.argv.index("--packages")
        PACKAGES = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        harness.skip("needs root and mmdebstrap (make deps DEPS=package)")
    harness.main()
