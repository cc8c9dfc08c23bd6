#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`make install` installs all that another program needs, `make uninstall` removes it, and `make fxt` needs nothing of the
kernel side."""

import os
import shlex
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, ROOT  # noqa: E402

MAKE = "make"
PREFIX = "/opt/fxt"


def run(*command, **more):
    # The jobserver and the flags of an outer make do not apply to these makes.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name not in ("MFLAGS", "BUILT")}
    clean.update(more.pop("env", {}))
    return harness.run(*command, ok=(0,), timeout=1200, env=clean, **more).stdout


def make(*words):
    return run(*shlex.split(MAKE), "--no-print-directory", "-C", ROOT, *words)


class Install(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.root = os.path.join(self.folder, "root")
        # `make test` uses the same relative name. Another name would rebuild the objects.
        self.where = [f"DESTDIR={self.root}", f"PREFIX={PREFIX}", f"BUILD={os.path.relpath(BUILD, ROOT)}"]

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.root + PREFIX)
                      for folder, _, names in os.walk(self.root) for name in names)

    def test_uninstall_removes_all_files(self):
        make("install", *self.where)
        installed = self.files()
        for name in ("bin/fxt", "bin/fxt-record", "lib/libfxt.a", "lib/fxt_sqlite.so",
                     "share/fish/vendor_completions.d/fxt.fish", "lib/pkgconfig/fxt.pc", "include/fxt/reader.h",
                     "bin/fxt-mark", "lib/libfxt-provider.a", "lib/libfxt-provider.so", "lib/libfxt-provider.so.0",
                     "lib/pkgconfig/fxt-provider.pc", "include/fxt_provider/event.h", "share/man/man1/fxt-mark.1",
                     "lib/python3/dist-packages/fxt_provider.py", "share/man/man1/fxt.1", "share/man/man1/fxt-record-control.1",
                     "lib/cmake/fxt/fxtConfig.cmake", "lib/cmake/fxt-provider/fxt-providerConfig.cmake",
                     "lib/systemd/system/fxt-record.service", "lib/systemd/system/fxt-record.socket"):
            self.assertIn(name, installed)
        unit = os.path.join(self.root + PREFIX, "lib/systemd/system/fxt-record.service")
        with open(unit, encoding="utf-8") as file:
            self.assertIn(f"ExecStart={PREFIX}/bin/fxt-record serve", file.read())
        self.assertTrue(os.path.exists(f"{self.root}/etc/fxt-record.conf"))
        make("uninstall", *self.where)
        self.assertEqual(self.files(), [])
        self.assertFalse(os.path.exists(f"{self.root}{PREFIX}/include/fxt"))
        self.assertFalse(os.path.exists(f"{self.root}{PREFIX}/include/fxt_provider"))

    def test_a_tarball_has_a_program_for_each_of_its_manuals(self):
        made = run(os.path.join(ROOT, "scripts/build_tarball"), BUILD, "amd64", self.folder).strip()
        run("tar", "-C", self.folder, "--strip-components=1", "-xf", made)
        programs = sorted(os.listdir(os.path.join(self.folder, "bin")))
        # fxt-record-control(1) describes commands of fxt-record.
        manuals = {name[:-2] for name in os.listdir(os.path.join(self.folder, "man"))} - {"fxt-record-control"}
        self.assertEqual(programs, sorted(manuals))
        for program in programs:
            self.assertIn(program, run(os.path.join(self.folder, "bin", program), "--version"))

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config (make deps)")
    def test_a_program_needs_pkg_config_only(self):
        make("install", *self.where)
        flags = run("pkg-config", "--cflags", "--libs", "fxt",
                    env={"PKG_CONFIG_LIBDIR": f"{self.root}{PREFIX}/lib/pkgconfig",
                         "PKG_CONFIG_SYSROOT_DIR": self.root})
        for folder in ("include/fxt", "include/fxt/detail"):
            headers = sorted(os.listdir(f"{self.root}{PREFIX}/{folder}"))
            self.assertEqual(headers, sorted(os.listdir(os.path.join(ROOT, folder))))
        source = os.path.join(ROOT, "tests/project/library/main.cc")
        program = os.path.join(self.folder, "program")
        run(*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", "-Wall", "-Wextra", "-Werror", source, "-o", program,
            *shlex.split(flags), cwd=self.folder)
        trace = os.path.join(self.folder, "trace.fxt")
        self.assertEqual(run(program, trace), "another program: 20 events, 20 switches\n")
        run(f"{self.root}{PREFIX}/bin/fxt", "check", trace)

    def test_cmake_finds_the_libraries(self):
        make("install", *self.where)
        with open(os.path.join(self.folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.16)
project(other LANGUAGES C CXX)
find_package(fxt REQUIRED)
find_package(fxt-provider REQUIRED)
add_executable(writer {ROOT}/tests/project/library/main.cc)
target_link_libraries(writer fxt::fxt)
add_executable(provider {ROOT}/tests/project/provider/main.c)
target_link_libraries(provider fxt::provider)
add_executable(static {ROOT}/tests/project/provider/main.c)
target_link_libraries(static fxt::provider-static)
""")
        run("cmake", "-S", self.folder, "-B", os.path.join(self.folder, "out"), f"-DCMAKE_PREFIX_PATH={self.root}{PREFIX}")
        run("cmake", "--build", os.path.join(self.folder, "out"))
        for program in ("provider", "static"):
            self.assertEqual(run(os.path.join(self.folder, "out", program), env={"FXT_PROVIDER": "off"}), "another program\n")

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config (make deps)")
    def test_a_provider_needs_pkg_config_only(self):
        """In C and in C++17, with warnings; linked to the shared library and to the archive."""
        make("install", *self.where)
        where = {"PKG_CONFIG_LIBDIR": f"{self.root}{PREFIX}/lib/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": self.root}
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]
        folder = os.path.join(ROOT, "tests/project/provider")
        for compiler, standard, source in (("gcc", "c11", "main.c"), ("g++", "c++17", "main.cc"),
                                           ("g++", "c++20", "main.cc")):
            for static in ([], ["--static"]):
                with self.subTest(standard=standard, static=static):
                    flags = shlex.split(run("pkg-config", *static, "--cflags", "--libs", "fxt-provider", env=where))
                    if static:
                        flags = [flag if flag != "-lfxt-provider" else "-l:libfxt-provider.a" for flag in flags]
                    program = os.path.join(self.folder, "program")
                    run(compiler, f"-std={standard}", *strict, os.path.join(folder, source), "-o", program, *flags,
                        cwd=self.folder)
                    said = run(program, env={"LD_LIBRARY_PATH": f"{self.root}{PREFIX}/lib", "FXT_PROVIDER": "off"})
                    self.assertEqual(said, "another program\n")


class KernelSide(unittest.TestCase):
    def test_its_programs_link_for_64_bit_arm(self):
        """They compile for any architecture with clang alone; an emulated machine runs them (make vm-test-arm64)."""
        build = os.path.join(os.path.relpath(BUILD, ROOT), "arm64-bpf")
        make(f"BUILD={build}", "BPF_ARCH=arm64", f"{build}/bpf/recorder.skel.h")

    def test_fxt_needs_no_kernel_side(self):
        with tempfile.TemporaryDirectory() as folder:
            build = f"{folder}/build"
            make(f"BUILD={build}", "CLANG=no-clang", "BPFTOOL=no-bpftool", f"{build}/build.ninja")
            for target in ("libfxt", "fxt"):
                commands = run("ninja", "-C", build, "-t", "commands", target)
                self.assertIn("libfxt.a", commands)
                for word in ("no-clang", "no-bpftool", "bpf/", "-lbpf", "userspace/capture"):
                    self.assertNotIn(word, commands)


if __name__ == "__main__":
    if "--make" in sys.argv:
        at = sys.argv.index("--make")
        MAKE = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    harness.main()
