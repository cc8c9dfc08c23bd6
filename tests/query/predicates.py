# SPDX-License-Identifier: BSD-2-Clause
"""Predicates select the same rows whether the table evaluates them while it reads the file, or SQLite does."""

import json
import os
import random
import subprocess

from harness import FXT
from traces import Traces, ask, documented_tables, fxt

KEYS = ("ts", "cpu", "tid")


class Predicates(Traces):
    def test_predicates_select_the_rows_of_a_copy(self):
        chance = random.Random(17)
        for path in self.traces:
            values = {}
            for table, columns in documented_tables().items():
                keys = [key for key in KEYS if key in columns]
                found = [(key, [row[0] for row in ask(path, f"SELECT DISTINCT {key} FROM {table} LIMIT 200")]) for key in keys]
                if found and all(rows for _, rows in found):
                    values[table] = dict(found)
            # The generated trace has rows in all these tables. A recording has what the machine did: a busy machine has
            # no idle time.
            if path == self.traces[0]:
                self.assertLessEqual({"slices", "idle", "waits", "wakeups", "threads", "cpus"}, set(values))
            self.assertIn("slices", values)
            script = [f"CREATE TEMP TABLE copy_{table} AS SELECT * FROM {table};" for table in values]
            asked = []
            for _ in range(150):
                table = chance.choice(list(values))
                condition = self.condition(chance, values[table])
                asked.append(f"{table} WHERE {condition}")
                # Times of a machine that runs for weeks have sums beyond 2^63.
                what = ", ".join(f"sum({key} % 1000003), count({key})" for key in values[table])
                script.append(f"SELECT * FROM (SELECT count(*), {what} FROM {asked[-1]}) EXCEPT "
                              f"SELECT count(*), {what} FROM copy_{asked[-1]};")
            done = fxt("query", "--json", path, "\n".join(script))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            answers = [json.loads(part + "]") for part in done.stdout.decode().split("]\n")[:-1]]
            self.assertEqual([(words, rows) for words, rows in zip(asked, answers, strict=True) if rows], [])

    def condition(self, chance, values, depth=0):
        kind = chance.randrange(8 if depth < 3 else 5)
        if kind >= 5:
            words = (" OR ", " AND ", " OR NOT ")[kind - 5]
            return f"({self.condition(chance, values, depth + 1)}{words}{self.condition(chance, values, depth + 1)})"
        key = chance.choice(list(values))

        def value():
            found = chance.choice(values[key])
            if found is None or chance.random() < 0.1:
                return chance.choice(("NULL", "-1", "9223372036854775807", "-9e18", "1e19", "'x'", "x'00'"))
            return chance.choice(("{}", "{}", "{}", "{}.5", "'{}'", "({} + 1)", "CAST({} AS REAL)")).format(found)
        return (f"{key} {chance.choice(('=', '<', '<=', '>', '>=', 'IS', '<>'))} {value()}",
                f"{key} BETWEEN {value()} AND {value()}", f"{key} IN ({value()}, {value()}, {value()})",
                f"{value()} {chance.choice(('=', '<', '>='))} {key}", f"{key} = {value()}")[kind]

    def test_a_list_reads_the_file_once(self):
        def seconds(condition):
            before = os.times().children_user
            subprocess.run([FXT, "query", self.traces[0], f"SELECT count(*) FROM slices WHERE {condition}"],
                           check=True, stdout=subprocess.DEVNULL)
            return os.times().children_user - before
        numbers = ", ".join(str(number) for number in range(1000))
        # Reading the file for each of the 1,000 values would take about 1,000 times as long.
        self.assertLess(min(seconds(f"tid IN ({numbers})") for _ in range(3)),
                        0.5 + 100 * min(seconds("tid = 1") for _ in range(3)))

    def test_a_join_reads_the_file_for_each_row_of_the_smaller_table(self):
        for few in ("threads", "captures", "cpus"):
            for tables in (f"slices, {few}", f"{few}, slices"):
                done = fxt("query", "--csv", self.traces[0], f"EXPLAIN QUERY PLAN SELECT 1 FROM {tables}")
                self.assertEqual([few in line for line in done.stdout.decode().splitlines()[1:]], [True, False])
