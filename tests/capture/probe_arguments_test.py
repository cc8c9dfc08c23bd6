#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds recorded arguments, returned values and filters of probes against what the probed programs print (root, BTF)."""

import collections
import json
import os
import platform
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import FXT, RECORDER, run  # noqa: E402

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arguments")
TEXT_BYTES = 255
COMPILERS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2") if shutil.which(compiler)]


def why_not():
    reason = harness.why_not_recordable()
    if not reason and not os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        reason = "this kernel has no uprobes"
    if not reason and not COMPILERS:
        reason = "there is no compiler"
    return reason


def compiled(folder, source, compiler, *options):
    compiler = {("clang", True): "clang++", ("gcc", True): "g++"}.get((compiler, source.endswith(".cc")), compiler)
    program = os.path.join(folder, "-".join([os.path.basename(source), compiler, *(each.strip("-") for each in options)]))
    if not os.path.exists(program):
        subprocess.run([compiler, "-fno-optimize-sibling-calls", *options, "-o", program, os.path.join(SOURCES, source)], check=True)
    return program


class Call:
    def __init__(self, event):
        self.name = event["name"]
        self.begin = event.get("args", {})
        self.end = {}


def calls_of(trace):
    """Returns the calls and instants by name, in the order of their begins."""
    calls = collections.defaultdict(list)
    stacks = collections.defaultdict(list)
    for event in json.loads(harness.fxt("json", trace, "-o", "-"))["traceEvents"]:
        if event.get("cat") != "probe":
            continue
        if event["ph"] == "E":
            stacks[event["tid"]].pop().end = event.get("args", {})
            continue
        call = Call(event)
        calls[call.name].append(call)
        if event["ph"] == "B":
            stacks[event["tid"]].append(call)
    return calls


def number(value):
    """JSON has large numbers and pointers as text."""
    if isinstance(value, str) and value.startswith("0x"):
        return int(value, 16)
    if isinstance(value, str) and value.lstrip("-").isdigit():
        return int(value)
    return value


@unittest.skipIf(why_not(), why_not())
class ProbeTest(harness.FolderTest):
    def record(self, program, probes, usdt=()):
        """Returns the calls and the lines that the program printed, both by function, and the totals."""
        trace = self.path("trace.fxt")
        options = [part for probe in probes for part in ("--uprobe", f"{program}:{probe}")]
        options += [part for probe in usdt for part in ("--usdt", f"{program}:{probe}")]
        totals = self.path("totals.json")
        done = run(RECORDER, "-q", "-c", "task", *options, "--only-command", "--stats-json", totals, "-o", trace, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run(FXT, "check", trace).returncode, 0)
        printed = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                fields = json.loads(line)
                printed[fields.pop("f")].append(fields)
        with open(totals, encoding="utf-8") as file:
            return calls_of(trace), printed, json.load(file)

    def refused(self, program, probe, option="--uprobe"):
        done = run(RECORDER, "-q", option, f"{program}:{probe}" if program else probe, "-o", self.path("no.fxt"), "--", "true")
        self.assertNotIn(done.returncode, (0, -6, -11), done.stderr)
        self.assertFalse(os.path.exists(self.path("no.fxt")))
        return done.stderr

    def check(self, calls, printed, fields, ret=True):
        """`fields`: names of recorded arguments by printed ones."""
        self.assertEqual(len(calls), len(printed))
        for call, line in zip(calls, printed):
            self.assertEqual({key: number(value) for key, value in call.begin.items()},
                             {name: line[key] for key, name in fields.items()})
            if ret:
                self.assertEqual(number(call.end["retval"]), line["ret"])


class ByName(ProbeTest):
    def test_every_call_has_its_arguments(self):
        for compiler, level in COMPILERS:
            if (compiler, level) == ("clang", "-O2"):
                continue  # the compiler passes nothing for the half of a structure that the function does not use
            with self.subTest(f"{compiler} {level}"):
                program = compiled(self.folder, "calls.c", compiler, level, "-g")
                calls, printed, _ = self.record(program, (
                    "integers(a, b, c, d, e, f, g, h)+retval", "copies(name:str, len, buf:str)+retval:str",
                    "kinds(color, truth, letter, address, after)+retval",
                    "members(request->size, request->path:str, request->header.kind, request->header.tag:str, request->next->size, "
                    "request->next->price, request->high, request->code, pair.second, big.values[1], last)+retval",
                    "returns_big(number)", "floats(second)", "measures(ninth, tenth, point.x, point.y, point.more[1], to->x, to->y, many[1], count)",
                    "recurs(depth)+retval"))
                self.check(calls["integers"], printed["integers"], {key: key.strip("_") for key in ("a", "b", "c", "d", "e", "f_", "g", "h")})
                for line in printed["copies"]:
                    line["name"] = line["name"][:TEXT_BYTES]
                    line["ret"] = line["ret"] and line["ret"][:TEXT_BYTES]
                self.check(calls["copies"], printed["copies"], {key: key for key in ("name", "len", "buf")})
                self.check(calls["kinds"], printed["kinds"], {key: key for key in ("color", "truth", "letter", "address", "after")})
                self.check(calls["members"], printed["members"], {
                    "size": "request->size", "path": "request->path", "kind": "request->header.kind", "tag": "request->header.tag",
                    "inner": "request->next->size", "price": "request->next->price", "high": "request->high", "code": "request->code",
                    "second": "pair.second", "big": "big.values[1]", "last": "last"})
                self.check(calls["returns_big"], printed["returns_big"], {"number": "number"}, ret=False)
                self.check(calls["floats"], printed["floats"], {"second": "second"}, ret=False)
                self.check(calls["measures"], printed["measures"], {
                    "ninth": "ninth", "tenth": "tenth", "x": "point.x", "y": "point.y", "more": "point.more[1]", "to": "to->x", "to_y": "to->y",
                    "many": "many[1]", "count": "count"}, ret=False)
                self.assertEqual([(call.begin["depth"], call.end["retval"]) for call in calls["recurs"]], [(n, n) for n in range(30, -1, -1)])

    def test_cxx_and_rust(self):
        for compiler, level in COMPILERS:
            if compiler == "clang":
                continue  # its debug information only declares std::string, or leaves out parts that a function does not use
            with self.subTest(f"{compiler} {level}"):
                program = compiled(self.folder, "names.cc", compiler, level, "-g", "-std=c++17")
                calls, printed, _ = self.record(program, (
                    "shop::Basket::Make(label:str, id)", "shop::Basket::Add(shop::Item const&, int)(item.label:str, item.id, count, this->total_)+retval",
                    "shop::detail::Log(text:str)", "store::open(path:str, flags)", "store::flush(count)"))
                self.check(calls[next(name for name in calls if "Make" in name)], printed["Make"], {"label": "label", "id": "id"}, ret=False)
                self.check(calls["shop::Basket::Add(shop::Item const&, int)"], printed["Add"],
                           {"label": "item.label", "id": "item.id", "count": "count", "total": "this->total_"})
                self.check(calls[next(name for name in calls if "Log" in name)], printed["Log"], {"text": "text"}, ret=False)
                self.check(calls[next(name for name in calls if "open" in name)], printed["open"], {"path": "path", "flags": "flags"}, ret=False)
                self.assertEqual([call.begin["count"] for call in calls[next(name for name in calls if "flush" in name)]], list(range(10)))

    def test_a_string_view(self):
        program = compiled(self.folder, "names.cc", COMPILERS[0][0], "-O2", "-g", "-std=c++17")
        name = "shop::Basket::Add(std::basic_string_view<char, std::char_traits<char> >)"
        calls, printed, _ = self.record(program, (f"{name}(name:str)",))
        self.check(calls[name], printed["AddName"], {"name": "name"}, ret=False)

    def test_absent_memory_is_unreadable(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2", "-g")
        calls, _, totals = self.record(program, ("reads(absent:str, number)",))
        self.assertEqual([(call.begin["absent"], call.begin["number"]) for call in calls["reads"][:4]],
                         [("unreadable", 1), (None, 2), ("present", 3), ("unreadable", 4)])
        self.assertEqual(totals["unread_arguments"], 2)

    def test_refusals(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2", "-g")
        for probe, words in (("integers(x)", "no such parameter; it has: a, b, c"),
                             ("members(request->sise)", "did you mean 'size'?"),
                             ("members(request)->", "no function"),
                             ("members(pair)", "it is a structure"),
                             ("integers(a:str)", "it is not a string"),
                             ("floats(first)", "floating-point register"),
                             ("floats(second)+retval", "what it returns cannot be read: it is in a floating-point register"),
                             ("measures(eighth)", "no such parameter"),
                             ("measures(h)", "floating-point register"),
                             ("integers(a b)", "does not follow an argument"),
                             ("integers(a:text)", "not a type"),
                             ("integers(arg1->x)", "type of arg1 is not known"),
                             ("integers(%zz)", "no register '%zz'"),
                             ("copies(name:str) if name > 3 xor len > 2", "cannot be read at 'xor"),
                             ("copies(name:str) if name:str == 3", "not an integer"),
                             ("integers(arg1, arg2, arg3, arg4, arg5, arg6, a, b, c, d, e, f, g)", "too many arguments"),
                             ("copies(name:str, name:str, buf:str, buf:str, name:str)", "5 strings")):
            with self.subTest(probe):
                self.assertIn(words, self.refused(program, probe))


class ByPosition(ProbeTest):
    def test_a_program_without_debug_information(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2")
        register = "%di" if platform.machine() == "x86_64" else "%x0"
        calls, printed, _ = self.record(program, ("copies(arg1:str, arg2, arg3:str)+retval:str", f"integers({register}, arg1:s8, arg2:u8, arg5:s32, arg8)+retval:s32"))
        for call, line in zip(calls["copies"], printed["copies"]):
            self.assertEqual((call.begin["arg1"], call.begin["arg2"], call.begin["arg3"]), (line["name"][:TEXT_BYTES], line["len"], line["buf"]))
            self.assertEqual(call.end["retval"], line["ret"] and line["ret"][:TEXT_BYTES])
        for call, line in zip(calls["integers"], printed["integers"]):
            self.assertEqual((call.begin["arg1"], call.begin["arg2"], call.begin["arg5"], call.end["retval"]),
                             (line["a"], line["b"], line["e"], line["ret"]))
            self.assertEqual(number(call.begin["arg8"]) % 2**64, line["h"])
            self.assertEqual(number(call.begin[register]) % 256, line["a"] % 256)
        self.assertEqual((len(calls["copies"]), len(calls["integers"])), (len(printed["copies"]), len(printed["integers"])))
        self.assertIn("has no debug information", self.refused(program, "copies(name)"))

    def test_a_stripped_library_and_its_exports(self):
        library = self.path("libcalls.so")
        subprocess.run([COMPILERS[0][0], "-shared", "-fPIC", "-O2", "-fno-optimize-sibling-calls", "-s", "-Dmain=calls_main", "-o", library, os.path.join(SOURCES, "calls.c")], check=True)
        main = self.path("main.c")
        with open(main, "w", encoding="utf-8") as file:
            file.write("int calls_main(int, char**);\nint main(int n, char** a) { return calls_main(n, a); }\n")
        program = self.path("main")
        subprocess.run([COMPILERS[0][0], "-o", program, main, library, f"-Wl,-rpath,{self.folder}"], check=True)
        trace = self.path("trace.fxt")
        done = run(RECORDER, "-q", "-c", "task", "--uprobe", f"{library}:*", "--only-command", "-o", trace, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = calls_of(trace)
        self.assertEqual({name: len(each) for name, each in calls.items()},
                         {"calls_main": 1, "integers": 20, "copies": 14, "kinds": 3, "members": 5, "returns_big": 4, "floats": 4, "measures": 4, "recurs": 31,
                          "reads": 1004})
        self.assertIn("at most 1024 can be probed at once", self.refused("libc.so.6", "*"))


class Filters(ProbeTest):
    def test_only_calls_that_pass_are_events(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2", "-g")
        calls, printed, totals = self.record(program, (
            "reads(number) if number > 9000", "integers(e)+retval if a < -3 and b & 1 or e == 2", "copies if len >= 200", "recurs(depth) if depth == 7",
            "members+entry if request->size > 100000"))
        self.assertEqual([call.begin["number"] for call in calls["reads"]], list(range(9010, 10000, 10)))
        passing = [line for line in printed["integers"] if (line["a"] < -3 and line["b"] & 1) or line["e"] == 2]
        self.check(calls["integers"], passing, {"e": "e"})
        self.assertEqual(len(calls["copies"]), sum(line["len"] >= 200 for line in printed["copies"]))
        self.assertEqual([call.begin["depth"] for call in calls["recurs"]], [7])
        self.assertEqual(len(calls["members"]), sum(line["size"] > 100000 for line in printed["members"]))
        instants = len(calls["members"])
        whole = sum(len(each) for each in calls.values()) - instants
        # A call is an entry and a return. Returned values are slots of their own, but no events.
        self.assertEqual(totals["events"]["probe"], 2 * whole + instants)
        self.assertEqual(totals["suppressed"]["unmatched_ends"], 0)


class Names(ProbeTest):
    def test_globs(self):
        program = compiled(self.folder, "names.cc", COMPILERS[0][0], "-O2", "-std=c++17")
        calls, _, _ = self.record(program, ("shop::Basket::*", "shop::*::Log"))
        names = {name.split("(")[0].split("[")[0] for name in calls}
        self.assertEqual(names, {"shop::Basket::Add", "shop::Basket::Make", "shop::detail::Log"})
        self.assertEqual(sum(len(each) for name, each in calls.items() if "Add(" in name), 20)
        self.assertIn("no function that 'shop::Nothing*' matches", self.refused(program, "shop::Nothing*"))

    def test_what_cannot_be_probed_is_left_out_of_a_pattern(self):
        if platform.machine() != "x86_64":
            self.skipTest("the instruction is one of x86-64")
        source = self.path("part.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('__asm__(".globl part_halts\\n.type part_halts, @function\\npart_halts: hlt\\n.size part_halts, 1");\n'
                       "int puts(const char*);\nint getchar(void);\n"
                       "__attribute__((noipa)) int part_one(int n) { return n + 1; }\n"
                       "__attribute__((noipa)) double part_two(double x, int n) { return x + n; }\n"
                       'int main(void) { puts("ready"); getchar(); for (int i = 0; i < 5; ++i) part_two(part_one(i), i); return 0; }\n')
        program = self.path("part")
        subprocess.run([COMPILERS[0][0], "-g", "-O1", "-o", program, source], check=True)
        # The kernel looks at the instruction when a process has it.
        with subprocess.Popen(["stdbuf", "-oL", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            self.assertEqual(running.stdout.readline(), "ready\n")
            for probes, said, counts in ((["part_*"], "part_*: without 1 of 3 functions: part_halts (the kernel does not support a breakpoint", (5, 5)),
                                         (["part_*(n)+retval"], "without 1 of 3 functions: part_halts ('n' cannot be read: the function has no debug information)", (5, 5))):
                trace = self.path("part.fxt")
                options = [part for probe in probes for part in ("--uprobe", f"{program}:{probe}")]
                done = run(RECORDER, "-q", "-c", "task", *options, "-o", trace, "--", "sh", "-c", f"echo | {program}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(said, done.stderr)
                calls = calls_of(trace)
                self.assertEqual((len(calls["part_one"]), len(calls["part_two"])), counts)
                if "retval" in probes[0]:
                    self.assertEqual([call.end["retval"] for call in calls["part_one"]], [1, 2, 3, 4, 5])
                    self.assertEqual([call.end for call in calls["part_two"]], [{}] * 5)
            for probe in ("part_halts", "part_h*"):
                self.assertIn("does not support a breakpoint on its first instruction", self.refused(program, probe))
            self.assertIn("none of its functions can be probed", self.refused(program, "part_*(nothing)"))
            running.communicate("\n")


class Kernel(harness.FolderTest):
    """Functions of the kernel; scripts/vm_matrix records them on kernels that have kprobes."""

    def refused(self, probe):
        done = run(RECORDER, "-q", "--kprobe", probe, "-o", self.path("no.fxt"), "--", "true")
        self.assertNotIn(done.returncode, (0, -6, -11), done.stderr)
        self.assertFalse(os.path.exists(self.path("no.fxt")))
        return done.stderr

    @unittest.skipIf(why_not(), why_not())
    def test_refusals(self):
        for probe, words in (("vfs_wriet", "did you mean 'vfs_write'?"),
                             ("no_such_*", "no function that 'no_such_*' matches"),
                             ("*", "more than 1024 functions"),
                             ("vfs_write(len)", "no such parameter; it has: file, buf, count, pos"),
                             ("vfs_write(file->f_inod)", "did you mean 'f_inode'?"),
                             *([] if os.path.exists("/sys/bus/event_source/devices/kprobe/type") else [("vfs_write(file)", "CONFIG_KPROBES")]),
                             ("vfs_write(file->f_inode->i_rwsem)", "it is a structure"),
                             ("vfs_write(count:str)", "it is not a string"),
                             ("kfree+retval", "the function returns nothing"),
                             ("vfs_*(nothing)", "none of its functions can be probed"),
                             ("vfs_write+retval:text", "not a type"),
                             ("vfs_write(a b)", "does not follow an argument"),
                             ("", "no function")):
            with self.subTest(probe):
                self.assertIn(words, self.refused(probe))

class Usdt(ProbeTest):
    def test_strings_and_filters(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2")
        calls, printed, _ = self.record(program, (), ("arguments:sold(arg2:str, arg3)",))
        self.check(calls["arguments:sold"], printed["sold"], {"arg2": "arg2", "arg3": "arg3"}, ret=False)
        calls, printed, _ = self.record(program, (), ("arguments:sold(arg2:str) if arg1 > 3",))
        self.assertEqual([call.begin["arg2"] for call in calls["arguments:sold"]], ["item 4", "item 5"])
        self.assertIn("it has 3 arguments", self.refused(program, "arguments:sold(arg4)", "--usdt"))


class Hostile(ProbeTest):
    # Each recording attaches its programs, which takes up to half a minute where grace periods of the kernel are slow.
    @harness.limited(3 * harness.TEST_LIMIT_S)
    def test_damaged_debug_information(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2", "-g")
        with open(program, "rb") as file:
            whole = bytearray(file.read())
        sections = run("readelf", "-SW", program).stdout
        line = next(each for each in sections.splitlines() if ".debug_info" in each).split("]")[1].split()
        begin, size = int(line[3], 16), int(line[4], 16)
        for seed in range(25):
            damaged = bytearray(whole)
            for i in range(40):
                at = begin + (seed * 7919 + i * 104729) % size
                damaged[at] = (damaged[at] + 1 + seed * 31 + i) % 256
            path = self.path(f"damaged{seed}")
            with open(path, "wb") as file:
                file.write(damaged)
            os.chmod(path, 0o755)
            done = run(RECORDER, "-q", "-c", "task", "--uprobe", f"{path}:members(request->header.tag:str, big.values[2], last)+retval", "-o", self.path("damaged.fxt"),
                       "--", "true")
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)

    def test_a_text_without_an_end(self):
        program = compiled(self.folder, "calls.c", COMPILERS[0][0], "-O2", "-g")
        line = next(each for each in run("readelf", "-SW", program).stdout.splitlines() if " .debug_str " in each).split("]")[1].split()
        with open(program, "r+b") as file:
            file.seek(int(line[3], 16) + int(line[4], 16) - 1)
            file.write(b"x")
        self.assertIn("debug information of", self.refused(program, "members(request->size)"))


if __name__ == "__main__":
    harness.main()
