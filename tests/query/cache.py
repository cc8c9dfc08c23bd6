# SPDX-License-Identifier: BSD-2-Clause
"""Columns that `fxt query --cache` keeps beside a trace: answers are those of the trace, whatever the file of columns is."""

import glob
import gzip
import os
import random
import re
import shutil
import stat
import subprocess

import harness
from traces import Traces, documented_queries, documented_tables, fxt

VIEWS = ("span_states", "waker_spans")
FOUR = (
    "SELECT (SELECT count(*) FROM slices) + (SELECT count(*) FROM waits) + (SELECT count(*) FROM wakeups) AS events",
    "SELECT waker, count(*) AS n, sum(dur) AS ns FROM waits WHERE kind = 'sleep' GROUP BY waker ORDER BY n DESC, waker LIMIT 20",
    "SELECT process, count(*) AS n, quantile(dur, 0.99) AS p99 FROM waits WHERE kind = 'wakeup' GROUP BY process ORDER BY p99 DESC",
    "WITH e AS (SELECT ts, 1 AS step FROM waits WHERE kind IN ('wakeup', 'preempted') UNION ALL SELECT ts + length, -1 FROM waits "
    "WHERE kind IN ('wakeup', 'preempted')), l AS (SELECT lead(ts) OVER (ORDER BY ts) - ts AS held, sum(step) OVER (ORDER BY ts) "
    "AS level FROM e) SELECT level, sum(held) AS ns FROM l GROUP BY level ORDER BY level")

# Statements that the cache answers from groups of columns, nearly answers, or must not answer.
GROUPS = (
    "SELECT count(*) FROM slices", "SELECT count(*), sum(dur), min(ts), max(ts + 0), avg(dur) FROM slices",
    "SELECT count(*), sum(dur), min(ts), max(ts), avg(dur), count(dur) FROM slices WHERE cpu = 77",
    "SELECT cpu, tid, thread, count(*) AS N, avg(length), max(length) FROM slices GROUP BY cpu, tid, thread",
    "SELECT s.process, COUNT( * ), Sum(s.length) / 1e6 AS \"the sum\" FROM slices AS s WHERE s.cpu IN (0, 1) GROUP BY 1 ORDER BY 3 DESC, 1",
    "SELECT process p, count(*) n FROM slices s GROUP BY p HAVING n > 3 AND p IS NOT NULL ORDER BY n DESC, p LIMIT 5 OFFSET 1",
    "SELECT ts / 10000000 AS t, count(*) FROM slices GROUP BY t", "SELECT ts / 10000000 * 2, count(*) FROM waits GROUP BY ts / 10000000 * 2",
    "SELECT (ts - (SELECT begin_ts FROM captures)) / 10000000 AS t, kind, count(*) FROM waits GROUP BY t, kind ORDER BY t, kind",
    "SELECT kind, state, began, ended, certain, count(*) FROM waits GROUP BY kind, state, began, ended, certain",
    "SELECT waker, count(dur) FROM waits WHERE certain AND waker IS NOT NULL AND kind <> 'sleep' GROUP BY waker",
    "SELECT waker IS NULL AS w, count(*) FROM waits GROUP BY waker IS NULL", "SELECT cpu % 0, count(*) FROM slices GROUP BY cpu % 0",
    "SELECT cpu, sum(length) * 100.0 / (SELECT sum(length) FROM slices) AS part FROM slices GROUP BY cpu",
    "SELECT cpu, rank() OVER (ORDER BY sum(length) DESC) AS place FROM slices GROUP BY cpu ORDER BY cpu",
    "SELECT cpu, count(*) OVER () FROM slices GROUP BY cpu", "SELECT cpu, count(*) FILTER (WHERE dur > 0) FROM slices GROUP BY cpu",
    "SELECT cpu, thread, max(dur) FROM slices GROUP BY cpu", "SELECT cpu, count(DISTINCT tid) FROM slices GROUP BY cpu",
    "SELECT cpu, min(cpu, 1), max(length) FROM slices GROUP BY cpu HAVING cpu = '0' OR cpu = 1.0",
    "SELECT process, count(*) FROM slices GROUP BY process COLLATE NOCASE", "SELECT DISTINCT process FROM slices ORDER BY process",
    "SELECT cpu, count(*) AS dur FROM slices GROUP BY cpu ORDER BY dur", "SELECT \"cpu\", [tid], count(*) FROM slices GROUP BY cpu, tid",
    "SELECT count(*) FROM slices UNION ALL SELECT count(*) FROM waits ORDER BY 1", "SELECT 'slices', count(*) FROM slices -- FROM waits",
    "SELECT count(*) FROM slices WHERE cpu = '0'", "SELECT count(*) FROM slices WHERE process = 'it''s' OR cpu = 0",
    "SELECT count(*) FROM slices WHERE ts BETWEEN 5 AND 9000000000000000 AND cpu NOT IN (0)", "SELECT count(*) FROM waits WHERE dur IS NULL",
    "WITH slices AS (SELECT 1 AS cpu) SELECT cpu, count(*) FROM slices GROUP BY cpu",
    "CREATE TEMP TABLE waits AS SELECT 5 AS cpu; SELECT cpu, count(*) FROM waits GROUP BY cpu; DROP TABLE temp.waits",
    "SELECT tid, quantile(length, 0), quantile(length, 1), quantile(length, 0.5) FROM slices GROUP BY tid",
    "SELECT quantile(length, 2) FROM slices", "SELECT quantile(koid - 1, 0.5) FROM slices", "SELECT sum(koid * 0 + 9223372036854775807) FROM slices",
    "SELECT concurrency(ts, length) FROM waits WHERE kind IN ('wakeup', 'preempted')", "SELECT cpu, concurrency(ts, length) AS c FROM slices GROUP BY cpu",
    "SELECT value ->> 'level', value ->> 'ns' FROM json_each((SELECT concurrency(ts, length) FROM waits))", "SELECT concurrency(ts, -1) FROM waits",
    "SELECT quantile(dur, 0.5, length), histogram(dur), histogram(dur, 2) FROM waits GROUP BY kind", "SELECT quantile(dur, 0.5, -1) FROM waits",
    "SELECT thread, dur FROM waits WHERE kind <> 'sleep' ORDER BY dur DESC, ts, koid LIMIT 5", "SELECT thread AS t, ts x FROM slices s WHERE s.cpu = 1 ORDER BY s.ts LIMIT 4 OFFSET 2",
    "SELECT ts, dur FROM waits ORDER BY dur, ts, koid LIMIT 3", "SELECT dur AS ts, ts AS dur FROM waits ORDER BY ts DESC, dur LIMIT 3", "SELECT thread, dur FROM waits ORDER BY dur DESC, ts, koid LIMIT -1",
    "SELECT max(ts) FROM slices ORDER BY ts DESC LIMIT 1", "SELECT thread FROM slices WHERE cpu = 12345 ORDER BY ts DESC LIMIT 1",
    "SELECT name, count(*) FROM spans GROUP BY name", "SELECT category, name, count(*), sum(dur) FROM spans GROUP BY category, name",
    "SELECT name, count(*), max(value) FROM counters GROUP BY name", "SELECT cpu, count(*) FROM slices GROUP BY 3", "SELECT cpu, count(*) FROM slices GROUP BY",
    "EXPLAIN SELECT count(*) FROM nothing", "SELECT a.cpu, n FROM (SELECT cpu, count(*) AS n FROM slices GROUP BY cpu) AS a JOIN cpus USING (cpu) ORDER BY 1",
    "SELECT cpu, (SELECT count(*) FROM idle WHERE idle.cpu = cpus.cpu) FROM cpus", "SELECT * FROM slices ORDER BY ts DESC, cpu LIMIT 7",
    "SELECT * FROM waits WHERE tid = (SELECT min(tid) FROM waits) ORDER BY ts LIMIT 9", "SELECT rowid > 0, count(*) FROM slices GROUP BY 1",
)

# Joins of columns with small tables, such as are computed so, nearly are, or must not be.
JOINS = (
    "SELECT t.process, t.name, count(*), sum(s.length) FROM slices s JOIN threads t ON t.koid = s.koid GROUP BY t.process, t.name",
    "SELECT t.name, count(*) AS n FROM threads AS t, slices s WHERE t.koid = s.koid AND t.tid > 100 AND s.cpu IN (0, 1) GROUP BY 1 ORDER BY n DESC, 1",
    "SELECT s.cpu, count(*), count(t.tid), count(DISTINCT t.name) FROM slices s LEFT JOIN threads t ON t.tid = s.tid AND t.name > '' GROUP BY s.cpu",
    "SELECT s.cpu, count(*), count(t.tid) FROM slices s LEFT JOIN (SELECT tid FROM threads WHERE tid % 2) t ON t.tid = s.tid WHERE t.tid IS NULL GROUP BY 1",
    "SELECT count(*) FROM slices s LEFT JOIN threads t ON t.tid < 0", "SELECT count(*), max(t.tid) FROM slices s JOIN threads t ON t.tid < 0",
    "WITH r AS MATERIALIZED (SELECT id, name FROM requests) SELECT p.kind, sum(p.dur) / count(DISTINCT r.id), count(DISTINCT p.waited_for) FROM path p JOIN r ON r.id = p.request GROUP BY p.kind",
    "WITH r AS (SELECT id, dur > (SELECT avg(dur) FROM requests) AS slow FROM requests) SELECT p.kind, count(*) FILTER (WHERE slow), sum(p.dur) FILTER (WHERE NOT slow), "
    "(SELECT sum(slow) FROM r) FROM r, path p WHERE p.request = r.id GROUP BY p.kind",
    "SELECT a.cpu, count(*) FROM (SELECT * FROM slices ORDER BY ts LIMIT 40) a JOIN slices b ON b.ts BETWEEN a.ts - 1000000 AND a.ts AND b.koid <> a.koid GROUP BY 1",
    "SELECT a.cpu, b.cpu, count(*) FROM cpus a, cpus b GROUP BY a.cpu, b.cpu", "SELECT count(*) FROM cpus a, cpus b WHERE a.cpu < b.cpu AND b.cpu + 0.5 > a.cpu",
    "SELECT c.cpu, max(s.length), s.ts > 0 FROM slices s JOIN cpus c ON c.cpu = s.cpu GROUP BY c.cpu", "SELECT c.cpu, s.ts, count(*) > 0 FROM slices s JOIN cpus c USING (cpu) GROUP BY c.cpu",
    "SELECT count(*), sum(x) FROM slices JOIN (SELECT NULL AS y, 2 AS x UNION ALL SELECT 0, 3 UNION ALL SELECT 0, 4) ON y = cpu",
    "SELECT count(*) FROM slices JOIN (SELECT '0' AS y UNION ALL SELECT 1) ON y = cpu", "SELECT count(*) FROM slices JOIN (SELECT 0.0 AS y) ON y = cpu",
    "SELECT count(*) FROM slices JOIN (SELECT 1 AS y WHERE 0) ON y = cpu", "SELECT count(*) FROM slices s JOIN (SELECT name COLLATE NOCASE AS n FROM threads) t ON t.n = s.thread",
    "SELECT t.n, count(*) FROM waits w JOIN (SELECT DISTINCT upper(name) AS n, name FROM threads) t ON t.name = w.thread GROUP BY t.n HAVING count(*) > 2 ORDER BY 2 DESC, 1",
    "SELECT kind, sum(dur + 1), sum(CASE WHEN dur > 1000 THEN dur ELSE 0 END), count(*) FILTER (WHERE dur % 2 = 0 OR waker IS NULL) FROM waits GROUP BY kind",
    "SELECT sum(dur * 1.5), avg(dur * 0.5), sum(min(dur, 1000)), max(coalesce(dur, -1)) FROM waits", "SELECT cpu, count(DISTINCT thread), count(DISTINCT dur / 1000) FROM slices GROUP BY cpu",
    "SELECT min(ts), thread FROM slices", "SELECT kind, max(dur), thread IS NULL FROM waits WHERE dur IS NULL GROUP BY kind", "SELECT cpu, thread, min(ts) AS first FROM slices GROUP BY cpu",
    "SELECT cpu, count(*) FROM slices WHERE ts > (SELECT begin_ts FROM captures) + 1000000 AND NOT (length < 5000 OR thread = 'x') GROUP BY cpu",
    "SELECT sum(ts * ts) FROM slices", "SELECT sum(ts * 1000000) FROM slices", "SELECT cpu, sum(thread) FROM slices GROUP BY cpu", "SELECT count(*) FROM slices WHERE thread > 5",
    "CREATE TEMP TABLE k(n TEXT COLLATE NOCASE, m VARCHAR(9)); INSERT INTO k SELECT upper(name), 5 FROM threads; "
    "SELECT k.n, k.m, count(*) FROM slices s JOIN k ON k.n = s.thread GROUP BY k.n HAVING k.m = 5; DROP TABLE k",
    "SELECT t.name FROM (SELECT t.name, count(*) AS n FROM slices s JOIN threads t ON t.koid = s.koid GROUP BY t.koid) t WHERE n > 3 ORDER BY n DESC, t.name",
    "WITH w AS (SELECT tid, thread AS who, dur * 2 AS twice, kind FROM waits WHERE kind IN ('wakeup', 'preempted') AND dur > (SELECT avg(dur) FROM waits)) "
    "SELECT who, count(*), sum(twice), max(tid) FROM w WHERE twice < 100000000 GROUP BY who", "SELECT x, count(*) FROM (SELECT 1 AS x FROM slices WHERE cpu = 0) GROUP BY x",
    "SELECT n, sum(d) FROM (SELECT process AS n, dur AS d FROM waits ORDER BY ts, tid, kind, dur LIMIT 100) GROUP BY n", "SELECT n, count(*) FROM (SELECT DISTINCT thread AS n, cpu FROM slices) GROUP BY n",
    "SELECT a.n, count(*), count(t.tid) FROM (SELECT thread AS n, koid AS k FROM slices WHERE cpu < 2) a LEFT JOIN threads t ON t.koid = a.k GROUP BY a.n",
    "SELECT sum(m) FROM (SELECT max(ts) AS m FROM slices)", "SELECT m, count(*) FROM (SELECT thread || '' AS m FROM slices) GROUP BY m",
    "SELECT (SELECT count(*) FROM slices s WHERE s.cpu = c.cpu) FROM cpus c ORDER BY 1", "SELECT * FROM (WITH slices AS (SELECT 1 AS cpu) SELECT cpu, count(*) FROM slices GROUP BY cpu)",
)

# Windows that are made of columns, nearly are, or must not be.
WINDOWS = (
    "SELECT thread, tid, count(*) AS moves FROM (SELECT thread, tid, koid, cpu, lag(cpu) OVER (PARTITION BY koid ORDER BY ts) AS before "
    "FROM slices) WHERE cpu <> before GROUP BY koid ORDER BY moves DESC, tid",
    "SELECT cpu, max(gap), sum(gap), count(gap) FROM (SELECT s.cpu, lead(ts) OVER (PARTITION BY cpu ORDER BY ts ASC) - ts AS gap FROM slices AS s) GROUP BY cpu ORDER BY cpu",
    "SELECT max(n), min(n), sum(n), max(t), sum(t), max(c) FROM (SELECT row_number() OVER (PARTITION BY tid ORDER BY ts) AS n, "
    "sum(length) OVER (PARTITION BY tid ORDER BY ts) AS t, count(*) OVER (PARTITION BY tid ORDER BY ts) AS c FROM slices)",
    "WITH w AS (SELECT tid, kind, dur, lag(dur) OVER (PARTITION BY tid ORDER BY ts) AS b FROM waits) SELECT kind, count(b), sum(b), sum(dur - b) FROM w GROUP BY kind ORDER BY kind",
    "SELECT tid, count(waker_tid) OVER (PARTITION BY tid ORDER BY ts) AS n FROM wakeups ORDER BY tid, n",
    "SELECT tid, sum(waker_tid) OVER (PARTITION BY tid ORDER BY ts) AS n FROM wakeups ORDER BY tid, n",
    "SELECT sum(n) FROM (SELECT row_number() OVER (PARTITION BY tid ORDER BY ts DESC) AS n, tid FROM slices) WHERE tid % 2 = 0",
    "SELECT sum(b) FROM (SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts) AS b FROM slices WHERE cpu > 0)",
    "SELECT count(*) FROM (SELECT lag(thread) OVER (PARTITION BY cpu ORDER BY ts) AS b, thread FROM slices) WHERE thread = b",
    "SELECT sum(a.b) FROM (SELECT tid, lag(ts) OVER (PARTITION BY tid ORDER BY ts) AS b FROM slices) a JOIN threads USING (tid)",
    "SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY cpu ORDER BY ts) AS n FROM slices GROUP BY cpu)",
    "SELECT sum(n) FROM (SELECT sum(length) OVER (PARTITION BY koid ORDER BY length) AS n FROM slices)",
    "WITH slices AS (SELECT 1 AS cpu, 2 AS ts) SELECT cpu, lag(ts) OVER (PARTITION BY cpu ORDER BY ts) FROM slices",
    "SELECT cpu, lag(nothing) OVER (PARTITION BY cpu ORDER BY ts) FROM slices",
    "SELECT cpu, n FROM (SELECT cpu, ts, row_number() OVER (PARTITION BY cpu ORDER BY ts) AS n FROM slices) WHERE n < 4 AND cpu = 1 ORDER BY n",
)

# Windows over rows that are put together and ordered by time, nearly such, or others.
EVENTS = "SELECT ts, 1 AS step FROM waits WHERE kind <> 'sleep' UNION ALL SELECT ts + length, -1 FROM waits WHERE kind <> 'sleep'"
LEVELS = "SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS held, sum(step) OVER (ORDER BY ts) AS level FROM "
ORDERED = (
    f"WITH l AS ({LEVELS}({EVENTS})) SELECT level, sum(held), count(*), min(ts) FROM l GROUP BY level ORDER BY level",
    f"WITH e AS ({EVENTS} UNION ALL SELECT begin_ts, 0 FROM captures), l AS ({LEVELS} e) SELECT ts / 1000000 AS ms, sum(1.0 * level * held) / sum(held), max(level) "
    "FROM l WHERE held > 0 GROUP BY ms ORDER BY ms",
    f"WITH e(ts, step) AS ({EVENTS}), l AS ({LEVELS} e) SELECT max(level), avg(level), sum(held) FILTER (WHERE level > 2) FROM l",
    f"SELECT max(held), count(*) FROM ({LEVELS}({EVENTS} ORDER BY ts LIMIT 7))", f"SELECT max(held), count(*) FROM ({LEVELS}({EVENTS} ORDER BY ts DESC LIMIT 7))",
    f"SELECT c.cpu, count(*) FROM ({LEVELS}({EVENTS})) l JOIN cpus c ON c.cpu = l.level GROUP BY c.cpu",
    f"SELECT max(x) FROM ({LEVELS}({EVENTS})) l JOIN (SELECT 5 AS x) ON 1", f"SELECT count(held) FROM ({LEVELS}(SELECT ts, cpu AS step FROM slices)) WHERE held > 5",
    f"SELECT count(held) FROM ({LEVELS}(SELECT ts, NULL AS step FROM slices))", f"SELECT sum(level) FROM ({LEVELS}(SELECT NULL AS ts, 1 AS step FROM slices UNION ALL SELECT 5, 2))",
    f"SELECT sum(level) FROM ({LEVELS}(SELECT 'x' AS ts, 1 AS step UNION ALL SELECT ts, 2 FROM slices))", f"SELECT sum(level) FROM ({LEVELS}(SELECT 9223372036854775807 AS ts, 1 AS step UNION ALL SELECT ts, 2 FROM slices))",
    f"SELECT sum(level) FROM ({LEVELS}(SELECT ts, 9223372036854775807 AS step FROM slices))", f"SELECT count(*) FROM ({LEVELS}(SELECT ts, 1 AS step FROM slices WHERE cpu = 77))",
    "SELECT count(gap), max(gap), sum(n) FROM (SELECT ts - lag(ts) OVER (ORDER BY ts) AS gap, row_number() OVER (ORDER BY ts) AS n FROM slices)",
    "SELECT sum(n), count(*) FROM (SELECT count(*) OVER (ORDER BY ts) AS n FROM wakeups)", "SELECT sum(b) FROM (SELECT lag(cpu) OVER (ORDER BY ts, cpu, koid) AS b FROM slices)",
    "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) AS b FROM slices WHERE cpu = 0)", "SELECT max(b) FROM (SELECT sum(length) OVER (ORDER BY ts ROWS 3 PRECEDING) AS b FROM slices)",
    f"WITH waits AS (SELECT 1 AS ts, 'x' AS kind, 2 AS length), l AS ({LEVELS}({EVENTS})) SELECT max(level) FROM l",
    f"CREATE TEMP TABLE waits AS SELECT 1 AS ts, 'x' AS kind, 2 AS length; WITH l AS ({LEVELS}({EVENTS})) SELECT max(level) FROM l; DROP TABLE temp.waits",
)

# Times of a damaged trace may be centuries apart: too many steps for a recursion. And they may go back after an upper limit
# of `ts`, where a query without columns has ended.
UNLIKE_IN_DAMAGED = re.compile(r"RECURSIVE|\bts (<|BETWEEN)")


class Cache(Traces):
    def both(self, path, statement, *options):
        """The output of a statement without and with columns, with what it says."""
        plain = fxt("query", "--csv", path, statement)
        kept = fxt("query", "--csv", "--cache", *options, path, statement)
        self.assertEqual((kept.returncode, kept.stdout, kept.stderr), (plain.returncode, plain.stdout, plain.stderr), statement)
        return plain

    def copy(self, name, data=None):
        path = self.path(name)
        for old in (path, path + ".cache"):
            if os.path.lexists(old):
                os.remove(old)
        if data is None:
            shutil.copyfile(self.traces[0], path)
        else:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def inputs(self):
        """Traces as they are, and cut, damaged, merged, trimmed and compressed ones."""
        with open(self.traces[-1], "rb") as file:
            data = file.read()
        damaged = bytearray(data)
        for at in range(4000, len(data), max(8000, len(data) // 50)):
            damaged[at] ^= 0x55
        merged, trimmed = self.path("merged.fxt"), self.path("trimmed.fxt")
        if len(self.traces) > 1:
            harness.fxt("merge", "-o", merged, *self.traces, ok=(0,))
        else:
            shutil.copyfile(self.traces[0], merged)
        harness.fxt("trim", self.traces[-1], "-o", trimmed, "--from", "1ms", ok=(0,))
        paths = [self.copy("whole.fxt"), self.copy("recorded.fxt", data), self.copy("cut.fxt", data[:len(data) * 2 // 3 + 5]),
                 self.copy("damaged.fxt", bytes(damaged)), self.copy("packed.fxt.gz", gzip.compress(data))]
        return [*paths, merged, trimmed]

    def test_answers_are_those_of_the_trace(self):
        statements = [statement for _, statement in documented_queries()] + list(FOUR)
        statements += [f"SELECT * FROM {table}" for table in documented_tables()]
        for view in VIEWS:
            names = fxt("query", "--csv", self.traces[0], f"SELECT * FROM {view} LIMIT 0").stdout.decode().strip()
            statements.append(f"SELECT * FROM {view} ORDER BY {names} LIMIT 200")
        for number, path in enumerate(self.inputs()):
            # All of them on a whole trace, some on each other one.
            for statement in statements if number == 0 else statements[number % 4::4]:
                if "damaged" in path and UNLIKE_IN_DAMAGED.search(statement):
                    continue
                with self.subTest(statement, path=path):
                    self.both(path, statement)
            self.assertTrue(os.path.isfile(path + ".cache"))

    def test_groups_of_columns_are_those_of_rows(self):
        for path in (self.copy("groups.fxt"), shutil.copyfile(self.traces[-1], self.path("groups2.fxt"))):
            for statement in GROUPS + JOINS + WINDOWS + ORDERED:
                with self.subTest(statement, path=path):
                    self.both(path, statement)

    def test_it_is_made_once_and_is_the_owners_alone(self):
        path = self.copy("once.fxt")
        self.both(path, FOUR[0])
        made = os.stat(path + ".cache")
        self.assertEqual(stat.S_IMODE(made.st_mode), 0o600)
        self.both(path, FOUR[2])
        again = os.stat(path + ".cache")
        self.assertEqual((again.st_ino, again.st_mtime_ns), (made.st_ino, made.st_mtime_ns))

    def test_another_trace_of_that_name_gets_its_own(self):
        path = self.copy("changed.fxt")
        self.both(path, FOUR[1])
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data[len(data) // 2] ^= 1  # of the same length
        with open(path, "wb") as file:
            file.write(data)
        self.both(path, FOUR[1])
        self.both(path, "SELECT * FROM slices")

    def test_damaged_files_are_made_anew(self):
        path = self.copy("second.fxt")
        statements = (FOUR[0], FOUR[1], "SELECT * FROM waits", "SELECT thread, count(*) FROM slices GROUP BY thread")
        for statement in statements:
            self.both(path, statement)
        with open(path + ".cache", "rb") as file:
            good = file.read()
        chance = random.Random(5)
        changed = [b"", good[:50], good[:72], good[:-1], good[:len(good) // 2], b"\xff" * 4096, good + b"x", bytes(len(good))]
        for _ in range(40):
            data = bytearray(good)
            at = chance.choice((chance.randrange(80), chance.randrange(len(data)), len(data) - 1 - chance.randrange(3000)))
            for each in range(at, min(len(data), at + chance.choice((1, 8, 200)))):
                data[each] ^= chance.randrange(1, 256)
            changed.append(bytes(data))
        for data in changed:
            with open(path + ".cache", "wb") as file:
                file.write(data)
            self.both(path, chance.choice(statements))

    def test_files_of_others_and_links_are_not_taken(self):
        path = self.copy("other_user.fxt")
        target = self.path("target")
        note = b"no cache beside the trace"
        plain = fxt("query", "--csv", path, FOUR[0])
        kept = path + ".cache"

        def refused():
            done = fxt("query", "--csv", "--cache", path, FOUR[0])
            self.assertEqual((done.returncode, done.stdout), (0, plain.stdout))
            self.assertIn(note, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

        with open(target, "wb") as file:
            file.write(b"precious")
        os.symlink(target, kept)
        refused()
        self.assertTrue(os.path.islink(kept))
        with open(target, "rb") as file:
            self.assertEqual(file.read(), b"precious")
        os.remove(kept)
        os.mkfifo(kept)
        refused()
        os.remove(kept)
        os.mkdir(kept)
        refused()
        os.rmdir(kept)
        self.both(path, FOUR[0])
        os.link(kept, self.path("second-name"))  # another may hold the other name
        before = os.stat(kept).st_ino
        self.both(path, FOUR[0])
        self.assertNotEqual(os.stat(kept).st_ino, before)
        if os.geteuid() == 0:
            os.chown(kept, 65534, 65534)
            refused()
            self.assertEqual(os.stat(kept).st_uid, 65534)

    def test_a_full_disk_is_said(self):
        path = self.copy("full.fxt")
        code = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)); os.execv(sys.argv[1], sys.argv[1:])"
        done = subprocess.run(["python3", "-c", "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + code, harness.FXT,
                               "query", "--csv", "--cache", path, FOUR[0]], capture_output=True, timeout=harness.DEADLINE_S)
        self.assertEqual((done.returncode, done.stdout), (0, fxt("query", "--csv", path, FOUR[0]).stdout))
        self.assertRegex(done.stderr, rb"no cache beside the trace: [^\n]*; each question reads the trace\n\Z")
        self.assertEqual(glob.glob(path + ".*"), [])
