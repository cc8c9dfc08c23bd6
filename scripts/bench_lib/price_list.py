# SPDX-License-Identifier: BSD-2-Clause
"""Computes the price list from runs: the figures, a table, and the two places in the project."""

import re

from .prices import OURS, PEERS

BEGIN, END = "<!-- made by scripts/bench_prices --update -->", "<!-- end of what scripts/bench_prices made -->"
# Values that no run here can measure.
UNMEASURED = {"lbr": "branch stack of a sample; no such CPU was at hand"}


def _per_event(value, run):
    """Divides `value` of a run by the events that the load counted, or else the recorder."""
    return value / (run["load_events"] or run["events"])


def _added(price, run, bare):
    if price.beside is not None:
        total, before = (each["cost_ns"] + 1e9 * (each["recorder_cpu_seconds"] - each["start_cpu_seconds"])
                         for each in (run, bare))
        return _per_event(total - before, run)
    return _per_event(run["cost_ns"] - bare["cost_ns"] * run["units"] / bare["units"], run)


def summarize(wanted, runs, median):
    """Returns a dictionary for each price: name, of, and by recorder added_ns, bytes and lost (share), or None."""
    found = []
    for price in wanted:
        mine = [run for run in runs if run["price"] == price.name]
        bare = {run["round"]: run for run in mine if run["recorder"] == ("" if price.beside is None else "beside")}
        row = {"name": price.name, "of": price.of, "recorders": {}}
        for name in (OURS, *PEERS):
            theirs = [run for run in mine if run["recorder"] == name and run["events"] and run["round"] in bare]
            if not theirs:
                continue
            added = [_added(price, run, bare[run["round"]]) for run in theirs] if price.timed else []
            # The load counts a sleep as one event, a recorder as several.
            sizes = [run["data_bytes"] / (run["load_events"] if price.load == "sleep" else run["events"])
                     for run in theirs if run["data_bytes"]]
            row["recorders"][name] = {
                "added_ns": median(added) if added else None, "all_added_ns": added,
                "bytes": median(sizes) if sizes else None,
                "lost": median(run["lost"] / (run["lost"] + run["events"]) for run in theirs)}
        found.append(row)
    return found


def _round(value):
    """Rounds to two digits, the precision of a median of a few rounds. Never negative."""
    return None if value is None else int(float(f"{max(value, 0):.2g}"))


def _figure(row, name, key):
    return (row["recorders"].get(name) or {}).get(key)


def markdown(result):
    lines = ["| category or option | one event is a | added ns | " + " | ".join(PEERS) + " | bytes | "
             + " | ".join(PEERS) + " |", "|---|---" + "|---:" * (2 + 2 * len(PEERS)) + "|"]

    def cells(row, key):
        for name in (OURS, *PEERS):
            value = _figure(row, name, key)
            text = "—" if value is None else f"{_round(value) if key == 'added_ns' else round(value):,}"
            lost = _figure(row, name, "lost")
            if key == "added_ns" and value is not None and lost and lost >= 0.005:
                text += f" ({100 * lost:.0f}% lost)"
            yield text

    for row in result["prices"]:
        lines.append(" | ".join([f"| `{row['name']}`", row["of"], *cells(row, "added_ns"), *cells(row, "bytes")]) + " |")
    lines += [" | ".join([f"| `{name}`", of, *["—"] * (2 + 2 * len(PEERS))]) + " |" for name, of in UNMEASURED.items()]
    return lines


def table_lines(result):
    """Returns the initializer of userspace/schema/price_table.h."""
    for row in result["prices"]:
        added, size = _figure(row, OURS, "added_ns"), _figure(row, OURS, "bytes")
        yield '  X("%s", "%s", %s, %s)' % (row["name"], row["of"], -1 if added is None else _round(added),
                                           -1 if size is None else round(size))
    for name, of in UNMEASURED.items():
        yield f'  X("{name}", "{of}", -1, -1)'


def put_into_header(path, result):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = list(table_lines(result))
    width = max(map(len, lines)) + 1
    first = "#define FXT_PRICE_TABLE(X)"
    table = [f"{line:<{width}}\\" for line in [first, *lines[:-1]]] + lines[-1:]
    text = re.sub(r"#define FXT_PRICE_TABLE\(X\).*?\n\n", lambda _: "\n".join(table) + "\n\n", text, flags=re.DOTALL)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def put_into_document(path, result):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = text.index(BEGIN), text.index(END)
    table = "\n".join(markdown(result))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{text[:begin]}{BEGIN}\n{table}\n{text[end:]}")
