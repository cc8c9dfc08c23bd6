# SPDX-License-Identifier: BSD-2-Clause
"""Tables of a benchmark's results."""

from .results import IDLE_METRICS, METRICS, UNTRACED

TABLE = [metric for metric in METRICS if metric != "run CPU"]
RATIOS = ("added", "added CPU", "CPU", "size")


def number(value):
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    if abs(value) >= 100:
        return f"{value:.1f}"
    return f"{value:.2f}"


def spread(quartiles):
    if quartiles is None:
        return "-"
    if quartiles.low == quartiles.high:
        return number(quartiles.median)
    return f"{number(quartiles.median)} [{number(quartiles.low)} {number(quartiles.high)}]"


def grid(rows):
    """Formats a table. The first row has the titles; the first column is aligned to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if not column else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def workload_table(results, workload):
    metrics = IDLE_METRICS if workload == "idle" else TABLE
    rows = [["", *(f"{metric}, {METRICS[metric][0]}" for metric in metrics)]]
    for recorder in results.recorders(workload):
        if workload == "idle" and recorder == UNTRACED:
            continue
        rows.append([recorder, *(spread(results.quartiles(workload, recorder, metric)) for metric in metrics)])
    return grid(rows)


def ratio_table(results, workload):
    """Returns the ratios of our recordings and the peers with the same events."""
    kinds = results.header["recorders"]
    rows = [["", *RATIOS]]
    present = results.recorders(workload)
    for ours in present:
        for peer in present:
            if ours == UNTRACED or peer == UNTRACED or not kinds[ours]["ours"] or kinds[peer]["ours"]:
                continue
            if kinds[ours]["events"] != kinds[peer]["events"]:
                continue
            cells = []
            for metric in RATIOS:
                mine, theirs = (results.quartiles(workload, name, metric) for name in (ours, peer))
                usable = mine and theirs and theirs.median > 0
                cells.append(number(mine.median / theirs.median) if usable else "-")
            rows.append([f"{ours} / {peer}", *cells])
    return grid(rows) if len(rows) > 1 else []


def text(results):
    header = results.header
    machine = header["machine"]
    lines = [f"{machine['cpus']} x {machine['cpu_model']}, Linux {machine['kernel']}, commit {machine['commit']}"
             + (f" with {machine['changed_files']} changed files" if machine["changed_files"] else ""),
             f"{header['rounds']} rounds; medians, [quartiles]", ""]
    lines += [f"MISSING: {name}: not installed: {', '.join(programs)}" for name, programs in header["missing"].items()]
    lines += [f"FAILED: {failure}" for failure in header["failures"]]
    for workload in results.workloads():
        lines += ["", f"## {workload}: {header['workloads'][workload]['about']}", "", *workload_table(results, workload)]
        ratios = ratio_table(results, workload) if workload != "idle" else []
        if ratios:
            lines += ["", "Ratios of the medians:", "", *ratios]
    share = results.other_share()
    lines += ["", f"Other programs and the kernel's own work took {100 * share:.1f}% of the CPUs meanwhile."
              + (" That is too much for times to be trusted." if share > 0.1 else "")]
    return "\n".join(lines)
