#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds the settings of recordings against what the kernel, its files and other tools say (root, BTF)."""

import contextlib
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, fxt, query, run  # noqa: E402

SLEEP = os.path.realpath(shutil.which("sleep"))


# Programs that sleep, until one sleeps for longer than the recorder takes to read it.
ATTEMPTS = 4


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().rstrip("\n ")


def record(path, *command, options=(), **more):
    return run(RECORDER, "-q", *options, "-o", path, "--", *command, ok=(0,), **more)


def settings(path, where="1"):
    """{(scope, subject, name): last value}"""
    return {(scope, subject, name): value for scope, subject, name, value in
            query(path, f"SELECT scope, subject, name, value FROM settings WHERE {where} ORDER BY ts")}


def of_process(path, subject, scope="process"):
    return {name: value for (_, _, name), value in
            settings(path, f"scope = '{scope}' AND subject = '{subject}'").items()}


def build_id(path):
    notes = run("readelf", "-n", path, ok=(0,)).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


class ProgramTest(harness.FolderTest):
    """A test with a program that sleeps, under a name that no other process of the machine has."""

    seconds = 0.5

    def setUp(self):
        super().setUp()
        self.program = self.path("fxtsleep")
        shutil.copy(SLEEP, self.program)

    def record_again(self):
        """The recorder reads settings in little of a CPU's time, which takes longer on a slow or busy machine."""
        self.seconds *= 4


class Machine(harness.FolderTest):
    def setUp(self):
        super().setUp()
        record(self.path("t.fxt"), "sleep", "0.2")
        self.found = settings(self.path("t.fxt"))
        self.system = {name: value for (scope, _, name), value in self.found.items() if scope == "system"}

    def test_the_kernel_is_described(self):
        name = platform.uname()
        self.assertEqual(self.system["kernel.release"], name.release)
        self.assertEqual(self.system["kernel.version"], name.version)
        self.assertEqual(self.system["kernel.command_line"], text_of("/proc/cmdline"))
        for sysctl in ("vm.swappiness", "vm.dirty_ratio", "vm.dirty_background_ratio", "kernel.sched_rt_runtime_us",
                       "net.core.default_qdisc", "net.ipv4.tcp_congestion_control"):
            path = "/proc/sys/" + sysctl.replace(".", "/")
            if os.path.exists(path):
                self.assertEqual(self.system[sysctl], text_of(path), sysctl)
        thp = "/sys/kernel/mm/transparent_hugepage/enabled"
        if os.path.exists(thp):
            self.assertEqual(self.system["thp.enabled"], re.search(r"\[(\w+)\]", text_of(thp))[1])
        folder = "/sys/devices/system/cpu/vulnerabilities"
        for name in os.listdir(folder):
            self.assertEqual(self.system["mitigation." + name], text_of(os.path.join(folder, name)))

    def test_cpus_are_those_of_getconf(self):
        count = 0
        for part in self.system["cpu.online"].split(","):
            first, _, last = part.partition("-")
            count += int(last or first) - int(first) + 1
        self.assertEqual(count, int(run("getconf", "_NPROCESSORS_ONLN").stdout))

    def test_hz_is_that_of_the_configuration(self):
        if os.path.exists("/proc/config.gz"):
            with gzip.open("/proc/config.gz", "rt") as file:
                config = file.read()
        elif os.path.exists(f"/boot/config-{platform.release()}"):
            config = text_of(f"/boot/config-{platform.release()}")
        else:
            self.skipTest("no configuration of this kernel is at hand")
        self.assertEqual(self.system["kernel.hz"], re.search(r"^CONFIG_HZ=(\d+)$", config, re.MULTILINE)[1])
        choice = "/sys/kernel/debug/sched/preempt"
        if os.path.exists(choice):
            self.assertEqual(self.system["kernel.preemption"], re.search(r"\((\w+)\)", text_of(choice))[1])
            self.assertEqual(self.system["sched.features"], text_of("/sys/kernel/debug/sched/features"))

    def test_file_systems_are_those_of_proc_mounts(self):
        # The last mount on a point is the one that programs see.
        mounts = {line.split()[1]: line.split() for line in text_of("/proc/mounts").splitlines()}
        _, point, kind, options = mounts["/"][:4]
        self.assertEqual(self.found[("mount", point, "type")], kind)
        self.assertLessEqual(set(options.split(",")), set(self.found[("mount", point, "options")].split(",")))

    def test_disks_have_their_scheduler(self):
        disks = [disk for disk in os.listdir("/sys/block") if not disk.startswith("ram") and
                 text_of(f"/sys/block/{disk}/size") != "0" and os.path.exists(f"/sys/block/{disk}/queue/scheduler")]
        for disk in disks:
            listed = text_of(f"/sys/block/{disk}/queue/scheduler")
            chosen = re.search(r"\[([\w-]+)\]", listed)
            self.assertEqual(self.found[("device", disk, "scheduler")], chosen[1] if chosen else listed)
        self.assertTrue(disks)

    def test_queueing_disciplines_are_those_of_tc(self):
        if not shutil.which("tc"):
            self.skipTest("needs tc")
        listed = json.loads(run("tc", "-j", "qdisc", "show", ok=(0,)).stdout)
        roots = {each["dev"]: each["kind"] for each in listed if each.get("root")}
        recorded = {subject: value for (scope, subject, name), value in self.found.items() if name == "qdisc"}
        self.assertEqual({device: kinds.split(",")[0].split()[0] for device, kinds in recorded.items() if device in roots},
                         roots)

    def test_info_shows_the_same(self):
        shown = fxt("info", "--settings", self.path("t.fxt"))
        self.assertRegex(shown, rf"(?m)^  vm\.swappiness +{self.system['vm.swappiness']}$")
        data = json.loads(fxt("info", "--settings", "--json", self.path("t.fxt")))
        first = next(each for each in data["settings"] if "vm.swappiness" in each["values"])
        self.assertEqual((first["scope"], first["values"]["vm.swappiness"]), ("system", self.system["vm.swappiness"]))

    def test_the_file_is_valid_and_a_part_keeps_all(self):
        part = self.path("part.fxt")
        fxt("check", self.path("t.fxt"))
        fxt("trim", "--from", "50ms", "--to", "51ms", self.path("t.fxt"), "-o", part)
        fxt("check", part)
        self.assertEqual(settings(part), self.found)
        both = self.path("both.fxt")
        fxt("merge", self.path("t.fxt"), "-o", both)
        self.assertEqual(settings(both), self.found)


class Processes(ProgramTest):
    @harness.in_one_of(ATTEMPTS)
    def test_a_program_is_as_it_was_started(self):
        script = f"ulimit -n 321; ulimit -c 0; exec {self.program} {self.seconds}"
        record(self.path("t.fxt"), "nice", "-n", "7", "taskset", "-c", "0", "chrt", "-b", "0", "sh", "-c", script)
        found = of_process(self.path("t.fxt"), "fxtsleep")
        expected = {"nice": "7", "policy": "batch", "cpus_allowed": "0", "limit.open_files": "321:321",
                    "limit.core_file_size": "0:0", "executable": self.program, "command_line": f"{self.program} {self.seconds}", "threads": "1",
                    "oom_score_adj": text_of("/proc/self/oom_score_adj"), "timerslack_ns": "50000",
                    "build_id": build_id(SLEEP)}
        if os.path.exists("/proc/self/autogroup"):
            name, *nice = text_of("/proc/self/autogroup").split()[::2] or ["none"]
            expected.update({"autogroup": name, **({"autogroup_nice": nice[0]} if nice else {})})
        self.assertEqual({name: found.get(name) for name in expected}, expected)

    @harness.in_one_of(ATTEMPTS)
    def test_real_time_has_its_priority(self):
        if run("chrt", "-f", "3", "true").returncode != 0:
            self.skipTest("may not use real-time priorities")
        record(self.path("t.fxt"), "chrt", "-f", "3", self.program, str(self.seconds))
        found = of_process(self.path("t.fxt"), "fxtsleep")
        self.assertEqual((found["policy"], found["rt_priority"]), ("fifo", "3"))

    @harness.in_one_of(ATTEMPTS)
    def test_processes_that_run_are_read_though_they_were_there_before(self):
        code = "import time\nfor _ in range(100000): time.sleep(0.01)"
        with subprocess.Popen(["nice", "-n", "3", sys.executable, "-c", code]) as process:
            try:
                record(self.path("t.fxt"), "sleep", str(2 * self.seconds))
            finally:
                process.kill()
            rows = query(self.path("t.fxt"), "SELECT name, value FROM settings WHERE scope = 'process' AND "
                                             f"pid = {process.pid} AND name IN ('nice', 'executable') ORDER BY name")
        self.assertEqual(rows, [["executable", os.path.realpath(sys.executable)], ["nice", "3"]])

    @harness.in_one_of(ATTEMPTS)
    def test_the_environment_has_names_and_hashes_alone(self):
        secret = "opensesame1234"
        files = [self.path(name) for name in ("a.fxt", "b.fxt", "c.fxt")]
        for path, value in zip(files, (secret, secret, secret + "5")):
            env = {"PATH": os.environ["PATH"], "FIRST": value, "SECOND": value, "EMPTY": ""}
            record(path, self.program, str(self.seconds), env=env)
            with open(path, "rb") as file:
                self.assertNotIn(secret.encode(), file.read())
        first, second, third = (of_process(path, "fxtsleep", "command") for path in files)
        names = {name.removeprefix("env.") for name in first if name.startswith("env.")}
        self.assertEqual(names, {"PATH", "FIRST", "SECOND", "EMPTY"})
        self.assertEqual(first["env.FIRST"], second["env.FIRST"])
        self.assertNotEqual(first["env.FIRST"], third["env.FIRST"])
        self.assertNotEqual(first["env.FIRST"], first["env.SECOND"])
        self.assertEqual(first["env.EMPTY"], third["env.EMPTY"])
        self.assertEqual(first["environment_key"], third["environment_key"])

    @harness.in_one_of(ATTEMPTS)
    def test_libraries_have_the_build_ids_of_readelf(self):
        linked = re.findall(r"=> (/\S+)", run("ldd", SLEEP).stdout)
        if not linked:
            self.skipTest(f"{SLEEP} has no shared libraries")
        record(self.path("t.fxt"), self.program, str(self.seconds))
        found = of_process(self.path("t.fxt"), "fxtsleep", "command")
        for library in linked:
            path = os.path.realpath(library)
            self.assertEqual(found["library." + path], build_id(path))

    @harness.in_one_of(ATTEMPTS)
    def test_buffers_have_the_same(self):
        record(self.path("t.fxt"), "nice", "-n", "5", self.program, str(self.seconds), options=("--circular", "8M"))
        found = of_process(self.path("t.fxt"), "fxtsleep")
        self.assertEqual((found["nice"], found["build_id"]), ("5", build_id(SLEEP)))
        self.assertIn(("system", None, "vm.swappiness"), settings(self.path("t.fxt"), "scope = 'system'"))
        fxt("check", self.path("t.fxt"))

    @harness.in_one_of(ATTEMPTS)
    def test_each_file_of_a_rotation_has_them(self):
        prefix = f"t{self.seconds}-"
        record(self.path(prefix + "%n.fxt"), "nice", "-n", "4", self.program, str(5 * self.seconds),
               options=("--rotate", f"{2 * self.seconds}s"))
        names = sorted(name for name in os.listdir(self.folder) if name.startswith(prefix))
        self.assertGreaterEqual(len(names), 2)
        for name in names:
            found = settings(self.path(name))
            self.assertEqual(found[("system", None, "kernel.release")], platform.release())
            self.assertEqual(found[("process", "fxtsleep", "nice")], "4")

    def test_they_can_be_left_out(self):
        record(self.path("t.fxt"), "true", options=("-c", "sched,task"))
        self.assertEqual(settings(self.path("t.fxt")), {})


@contextlib.contextmanager
def cpu_group():
    """A cgroup with the CPU controller: its folder, its name in recordings, and the files of its quota and weight."""
    name = f"fxt-settings-test-{os.getpid()}"
    mounts = [line.split() for line in text_of("/proc/mounts").splitlines()]
    folder = None
    try:
        for _, point, kind, options, *_ in mounts:
            if kind == "cgroup" and "cpu" in options.split(","):
                folder = os.path.join(point, name)
                os.mkdir(folder)
                yield folder, "cpu:/" + name, "cpu.cfs_quota_us", "cpu.shares"
                return
        for _, point, kind, *_ in mounts:
            if kind == "cgroup2" and "cpu" in text_of(point + "/cgroup.subtree_control").split():
                folder = os.path.join(point, name)
                os.mkdir(folder)
                yield folder, "/" + name, "cpu.max", "cpu.weight"
                return
    except OSError as error:
        raise unittest.SkipTest(f"cannot make a cgroup: {error}") from error
    finally:
        if folder and os.path.isdir(folder):
            harness.eventually(lambda: not text_of(folder + "/cgroup.procs"))
            os.rmdir(folder)
    raise unittest.SkipTest("no cgroup has the CPU controller")


class Cgroups(ProgramTest):
    @harness.in_one_of(ATTEMPTS)
    def test_limits_and_their_changes_are_recorded(self):
        with cpu_group() as (folder, name, quota, weight):
            period = " 100000" if quota == "cpu.max" else ""

            def put(file, value):
                with open(os.path.join(folder, file), "w", encoding="ascii") as out:
                    out.write(value)

            put(quota, "30000" + period)
            put(weight, "333")
            script = f"echo $$ > {folder}/cgroup.procs; {self.program} {self.seconds}; "\
                     f"echo 20000{period} > {folder}/{quota}; {self.program} {self.seconds}"
            record(self.path("t.fxt"), "sh", "-c", script)
            rows = query(self.path("t.fxt"), "SELECT name, value FROM settings WHERE scope = 'cgroup' AND "
                                             f"subject = '{name}' AND name IN ('{quota}', '{weight}') ORDER BY ts")
            self.assertEqual([value for each, value in rows if each == quota], ["30000" + period, "20000" + period])
            self.assertEqual([value for each, value in rows if each == weight], ["333"])
            group = of_process(self.path("t.fxt"), "fxtsleep")["cgroup"]
            self.assertIn(name, group.split(";"))


class Differences(ProgramTest):
    def differences(self, base, new):
        document = json.loads(fxt("diff", "--json", self.path(base), self.path(new)))
        return {(each["scope"], each["subject"], each["name"]): (each["base"], each["new"])
                for each in document["settings"]}

    def setUp(self):
        super().setUp()
        # A library that the program loads from the same path, with other content.
        self.library = None
        if shutil.which("cc"):
            self.library = self.path("libfxtsettings.so")

    def capture(self, name, *prefix, value="one", constant=1):
        env = {**os.environ, "FXT_SETTINGS_TEST": value}
        if self.library:
            source = self.write("library.c", f"int fxt_settings_test(void) {{ return {constant}; }}\n")
            made = self.library + ".new"
            run("cc", "-shared", "-fPIC", "-Wl,--build-id", "-o", made, source, ok=(0,))
            os.replace(made, self.library)
            env["LD_PRELOAD"] = self.library
        record(self.path(name), *prefix, self.program, str(self.seconds), env=env)

    @harness.in_one_of(ATTEMPTS)
    def test_equal_captures_have_no_difference_and_others_just_theirs(self):
        self.capture("a.fxt")
        self.capture("b.fxt")
        self.capture("c.fxt", "nice", "-n", "6", value="two", constant=2)
        self.assertEqual(self.differences("a.fxt", "b.fxt"), {})
        self.assertNotIn("Set differently", fxt("diff", self.path("a.fxt"), self.path("b.fxt")))
        found = self.differences("a.fxt", "c.fxt")
        expected = {("process", "fxtsleep", "nice"), ("command", "fxtsleep", "env.FXT_SETTINGS_TEST")}
        if self.library:
            expected.add(("command", "fxtsleep", "library.libfxtsettings.so"))
        self.assertEqual(set(found), expected)
        self.assertEqual(found[("process", "fxtsleep", "nice")], ("0", "6"))
        text = fxt("diff", self.path("a.fxt"), self.path("c.fxt"), "--markdown", self.path("d.md"), "--html",
                   self.path("d.html"))
        self.assertTrue(text.startswith("Set differently:\n"), text)
        self.assertRegex(text, r"process fxtsleep +nice +0 +6\n")
        self.assertRegex(text_of(self.path("d.md")), r"\| process fxtsleep \| nice \| 0 \| 6 \|")
        self.assertIn("env.FXT_SETTINGS_TEST", text_of(self.path("d.html")))

    @harness.in_one_of(ATTEMPTS)
    def test_summaries_have_them_too(self):
        self.capture("a.fxt")
        self.capture("c.fxt", "nice", "-n", "6")
        for name in ("a", "c"):
            fxt("summarize", self.path(name + ".fxt"), "-o", self.path(name + ".fxs"))
        self.assertEqual(self.differences("a.fxs", "c.fxs"), {("process", "fxtsleep", "nice"): ("0", "6")})


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
