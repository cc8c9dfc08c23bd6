#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests of scripts/vm_matrix that need no guest."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder)
                for folder in ("../support", "../../scripts")]

import harness  # noqa: E402
from vm_matrix_lib import guest, kernels, machines, modes, private_apt, report, shared_libraries  # noqa: E402


class Mirrors(unittest.TestCase):
    def mirrors(self, **files):
        with tempfile.TemporaryDirectory() as etc:
            os.makedirs(os.path.join(etc, "sources.list.d"))
            for name, text in files.items():
                path = "sources.list" if name == "list" else "sources.list.d/" + name.replace("_", ".")
                with open(os.path.join(etc, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return private_apt.machine_mirrors(etc)

    def test_both_formats_are_read(self):
        found = self.mirrors(
            list="deb [signed-by=/k.gpg arch=amd64] http://one.invalid/debian bookworm main non-free # ours\n",
            a_sources="Types: deb deb-src\nURIs: http://two.invalid/sec\nSuites: trixie-security\n"
                      "Components: main\nSigned-By: /l.gpg\n")
        self.assertEqual(found, [("http://one.invalid/debian", "/k.gpg", False), ("http://two.invalid/sec", "/l.gpg", True)])

    def test_other_repositories_are_ignored(self):
        self.assertEqual(self.mirrors(
            list="deb http://vendor.invalid tool-bookworm main\n# deb http://off.invalid bookworm main\n"
                 "deb-src http://source.invalid bookworm main\ndeb http://no-main.invalid bookworm contrib\n",
            b_sources="Enabled: no\nTypes: deb\nURIs: http://off.invalid\nSuites: sid\nComponents: main\n"), [])


class Series(unittest.TestCase):
    def test_a_series_is_not_the_beginning_of_another(self):
        self.assertTrue(kernels.belongs_to("6.1", "6.1.192-2"))
        self.assertFalse(kernels.belongs_to("6.1", "6.12.117-1"))
        self.assertTrue(kernels.belongs_to("6", "6.19.14-1~bpo13+1"))
        self.assertFalse(kernels.belongs_to("6", "5.6.0-1"))

    def test_release_candidates_only_by_their_own_series(self):
        self.assertFalse(kernels.belongs_to("7", "7.3~rc7-1~exp1"))
        self.assertTrue(kernels.belongs_to("7.3", "7.3~rc7-1~exp1"))

    def test_versions_sort_by_number(self):
        versions = ["6.9.2-1", "6.12.9-1", "6.12.117-1", "6.12.117-2", "7.3~rc7-1", "7.3.0-1"]
        self.assertEqual(sorted(reversed(versions), key=kernels.upstream_key), versions)


class Plan(unittest.TestCase):
    def test_every_mode_is_booted_exactly_once_and_exists_in_the_guest(self):
        booted = [mode for boot in modes.boots(list(modes.MODES)) for mode in boot.modes]
        self.assertEqual(sorted(booted), sorted(modes.MODES))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest/modes.sh")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        for mode in modes.MODES:
            self.assertIn(f"\nmode_{mode}() {{\n", text)


    def test_a_machine_of_its_own_has_the_limit_that_its_mode_says(self):
        found = {boot.modes[0]: boot for boot in modes.boots(["probe", "many_cpus", "possible_cpus", "one_cpu"])}
        self.assertEqual((found["many_cpus"].cpus, found["many_cpus"].possible_cpus), (16, 16))
        self.assertEqual((found["possible_cpus"].cpus, found["possible_cpus"].possible_cpus), (4, 240))
        self.assertGreater(found["many_cpus"].limit_s, found["one_cpu"].limit_s)
        self.assertEqual(found["one_cpu"].limit_s, modes.BASE_LIMIT_S + modes.MODE_LIMIT_S)
        slow_host = modes.boots(["one_cpu"], time_factor=3)[0]
        self.assertEqual((slow_host.limit_s, slow_host.time_factor), (3 * found["one_cpu"].limit_s, 3))


    def test_the_kernel_line_has_the_counts_and_subjects_of_waits(self):
        [boot] = modes.boots(["waits"], 1, modes.waits_words(7, 8, ["locks", "disks"]))
        self.assertEqual(boot.kernel_words, "vm.waits=7 vm.exchanges=8 vm.subjects=locks,disks")
        [usual] = modes.boots(["waits"])
        self.assertIn(f"vm.waits={modes.WAITS} ", usual.kernel_words)
        self.assertEqual([each.kernel_words for each in modes.boots(["limits", "one_cpu"])], ["", ""])


class Machines(unittest.TestCase):
    def test_kernels_of_each_architecture_are_known(self):
        for architecture, machine in machines.MACHINES.items():
            self.assertEqual(machine.architecture, architecture)
            self.assertLessEqual(set(machine.series), set(kernels.ALL_SERIES))
            self.assertLessEqual(set(machine.impossible_modes), set(modes.MODES))
            for name in (f"linux-image-6.1.0-56-cloud-{architecture}", f"linux-image-6.1.0-56-cloud-{architecture}-unsigned",
                         f"linux-binary-7.3.4+deb13-cloud-{architecture}"):
                self.assertTrue(kernels.NAME.fullmatch(name), name)

    def test_ports_and_cpus_in_the_words_of_qemu(self):
        boot = modes.boots(["possible_cpus"])[0]
        self.assertEqual(machines.MACHINES["amd64"].smp(boot), "4,maxcpus=240,sockets=60,cores=4")
        for machine in machines.MACHINES.values():
            self.assertEqual(machine.smp(modes.boots(["one_cpu"])[0]), "1")
            words = " ".join(machine.serial_ports("/a", "/b"))
            self.assertLess(words.index("/a"), words.index("/b"))

    def test_architectures_do_not_share_a_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            caches = [kernels.KernelCache(folder, architecture) for architecture in machines.MACHINES]
            self.assertEqual(len({cache.apt.root for cache in caches}), len(caches))
            facts = {"release": "6.1.0-56-cloud-arm64", "version": "6.1.192-2", "package": "linux-image-x", "modules": []}
            os.makedirs(os.path.join(folder, "kernels/6.1-arm64"))
            with open(os.path.join(folder, "kernels/6.1-arm64/vmlinuz"), "wb") as file:
                file.write(b"kernel")
            facts["sha256"] = hashlib.sha256(b"kernel").hexdigest()
            with open(os.path.join(folder, "kernels/6.1-arm64/kernel.json"), "w", encoding="utf-8") as file:
                json.dump(facts, file)
            self.assertEqual([cache.cached("6.1") is not None for cache in caches], [False, True])


class Libraries(unittest.TestCase):
    @unittest.skipUnless(shutil.which("readelf"), "no readelf")
    def test_those_of_a_program_are_the_loaders(self):
        """The dynamic loader lists the same files."""
        program = shutil.which("env")
        listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        loaded = {os.path.realpath(word) for word in listed.split() if word.startswith("/")}
        self.assertEqual({path for _, path in shared_libraries.needed(program, "/")}, loaded)

    @unittest.skipUnless(shutil.which("readelf"), "no readelf")
    def test_a_missing_one_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "lib"))
            os.makedirs(os.path.join(folder, "usr/lib"))
            with self.assertRaises(FileNotFoundError):
                shared_libraries.needed(shutil.which("env"), folder)


class Boots(unittest.TestCase):
    def test_only_a_guest_that_ran_nothing_may_boot_again(self):
        early = [guest.Result("guest", "end", "fail", "the guest went away")]
        self.assertFalse(guest.reached_userspace(early))
        self.assertTrue(guest.reached_userspace([guest.Result("guest", "boot", "pass", "5 s")] + early))


class Facts(unittest.TestCase):
    """tests/vm/guest/facts.awk, which checks the mode pid_namespace."""

    TASKS = ("7|7|ksoftirqd/0|0|/|\n"
             "40|40|my shell|1000|/group|/bin/sh -c x\n"
             "41|40|its thread|1000|/group|/bin/sh -c x\n")
    DUMP = ("  - kernel-object type=process koid=7 name=ksoftirqd/0 {ppid=2 uid=0 cgroup=/}\n"
            "  - kernel-object type=thread koid=7 name=ksoftirqd/0 {process=#7}\n"
            "  - kernel-object type=process koid=40 name=\"my shell\" "
            "{cmdline=\"/bin/sh -c x\" ppid=1 uid=1000 cgroup=/group}\n"
            "  - kernel-object type=thread koid=40 name=\"my shell\" {process=#40}\n"
            "  - kernel-object type=thread koid=41 name=\"its thread\" {process=#40}\n"
            "  - kernel-object type=thread koid=99 name=unknown {process=#99}\n")

    def facts(self, dump):
        awk = next((found for found in (shutil.which("busybox"), shutil.which("awk")) if found), None)
        if awk is None:
            self.skipTest("no awk")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("tasks", self.TASKS), ("dump", dump)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest/facts.awk")
            done = subprocess.run([awk] + ["awk"] * awk.endswith("busybox") + ["-f", script, "tasks", "dump"],
                                  cwd=folder, text=True, check=False, stdout=subprocess.PIPE)
        return done.returncode, done.stdout.splitlines()

    def test_correct_and_missing_facts_pass(self):
        self.assertEqual(self.facts(self.DUMP), (0, ["3 threads compared"]))
        self.assertEqual(self.facts(self.DUMP.replace(" uid=1000 cgroup=/group", "").replace("cmdline=", "x=")),
                         (0, ["3 threads compared"]))

    def test_wrong_facts_are_named(self):
        for right, wrong, said in (
                ("uid=1000", "uid=0", "40 uid is 0 instead of 1000"),
                ("cgroup=/group", "cgroup=/", "40 cgroup is / instead of /group"),
                ("/bin/sh -c x", "/sbin/init", "40 cmdline is /sbin/init instead of /bin/sh -c x"),
                ('koid=41 name="its thread"', 'koid=41 name="tid 41"', "41 name is tid 41 instead of its thread"),
                ("{process=#40}\n  - kernel-object type=thread koid=99", "{process=#41}\n  - kernel-object type=thread koid=99",
                 "41 process is #41 instead of #40"),
                ("type=thread koid=41 ", "type=process koid=41 ",
                 "41 process object is there instead of none: it is a thread of 40")):
            status, lines = self.facts(self.DUMP.replace(right, wrong))
            self.assertEqual((status, lines[0]), (1, said))


class Table(unittest.TestCase):
    def test_one_failure_spoils_a_cell_and_nothing_else(self):
        kernel = type("Kernel", (), {"series": "6.1", "release": "6.1.0", "version": "6.1.192-2"})
        mode = next(iter(modes.MODES))
        results = report.Report()
        results.add(kernel, [guest.Result(mode, "category:sched", "pass"), guest.Result(mode, "category:irq", "fail"),
                             guest.Result(mode, "category:lbr", "skip", "no such CPU")])
        text = results.markdown()
        self.assertIn("| kernel | sched | irq | lbr |", text)
        self.assertIn("| 6.1.192 | yes | **no** | — |", text)
        self.assertIn("- no `lbr` on 6.1.192: no such CPU\n", text)
        self.assertEqual(len(results.failures()), 1)

    def test_a_run_of_some_series_keeps_the_results_of_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            for series, status in (("7", "fail"), ("6.1", "pass"), ("7", "pass")):
                results = report.Report()
                kernel = type("Kernel", (), {"series": series, "release": series, "version": series})
                results.add(kernel, [guest.Result("truth", "x", status)])
                results.save(path, kernels.ALL_SERIES)
            saved = report.Report.load(path)
            self.assertEqual([kernel["series"] for kernel in saved.kernels], ["6.1", "7"])
            self.assertEqual(saved.failures(), [])

    def test_the_readme_gets_the_table_and_nothing_else_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "README.md")
            begin, end = report.MARKERS
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"before\n{begin}\nold\n{end}\nafter\n")
            for text in ("| new |\n", "| newer |"):
                report.put_between_markers(path, text)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), f"before\n{begin}\n| newer |\n{end}\nafter\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write("no markers")
            with self.assertRaises(ValueError):
                report.put_between_markers(path, "text")


if __name__ == "__main__":
    harness.main()
