// SPDX-License-Identifier: BSD-2-Clause
// The page of a report.

const report = data("data");
const instances = data("instances") || [];
const length = Number(report.length_ns) || 1;
const inSeconds = length / 1e9;
const rate = (n) => Number(n) / inSeconds;
const msPerSecond = (ns) => Number(ns) / 1e6 / inSeconds;
const msShares = (group) => Object.fromEntries(kShares.map((share) => [share, msPerSecond(group.share_ns[share] || 0)]));
const name = (group) => groupName(group) + (group.of_command ? " *" : "");
const waiting = (group) => Number(group.share_ns.runnable_wakeup) + Number(group.share_ns.runnable_preempted);
const sum = (some) => some.reduce((all, one) => all + Number(one), 0);

function fact(figure, words) {
  return el("div", {class: "fact"}, el("b", null, figure), el("span", null, words));
}

// A program without the folder it is in.
function title() {
  return report.command ? report.command.replace(/^\S*\//, "") : report.file.split("/").pop();
}

function head() {
  const busy = sum(report.machine.by_cpu.map((cpu) => cpu.busy_ns));
  const known = busy + sum(report.machine.by_cpu.map((cpu) => cpu.idle_ns));
  const waits = sum(report.groups.map(waiting));
  const words = [duration(length), count(report.machine.cpus, "CPU")];
  if (report.host) words.push(report.host);
  if (report.kernel) words.push("Linux " + report.kernel);
  if (report.start_time !== null) words.push(new Date(report.start_time * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC");
  return [
    el("div", {class: "eyebrow"}, "fxt report"),
    el("h1", null, [...title()].length > 120 ? [...title()].slice(0, 119).join("") + "…" : title()),
    el("p", {class: "lead"}, words.join(" · "), report.command && ". Its groups are marked *"),
    report.command && el("p", {class: "mono soft"}, report.command),
    el("p", {class: "mono soft"}, report.file),
    el("div", {class: "facts"},
      fact(percent(busy / Math.max(1, known)), "busy"),
      fact(number((busy + waits) / length), "load: running and waiting"),
      fact(number(waits / length), "threads waiting, on average"),
      fact(number(rate(sum(report.groups.map((group) => Number(group.switches_voluntary) + Number(group.switches_involuntary))))), "switches a second"),
      fact(number(rate(sum(report.groups.map((group) => group.wakeups)))), "wakeups a second"),
      report.elapsed_ns !== null && fact(duration(Number(report.elapsed_ns)), "the command took")),
    uncertain(),
  ];
}

function uncertain() {
  const unknown = sum(report.groups.map((group) => group.share_ns.unknown));
  const all = sum(report.groups.map((group) => sum(kShares.map((share) => group.share_ns[share] || 0))));
  const dark = sum(report.machine.by_cpu.map((cpu) => cpu.unknown_ns));
  const lines = [...report.notes];
  if (Number(report.lost_events) > 0) {
    lines.push(`${number(Number(report.lost_events))} events were lost: waits that touch a loss are in no figure.`);
  }
  if (Number(report.unseen_switches) > 0) lines.push(`${count(Number(report.unseen_switches), "switch", "switches")} of CPUs could not be seen.`);
  if (unknown > 0 || dark > 0) {
    lines.push(`Not known: ${percent(unknown / Math.max(1, all))} of the threads' time, ${number(msPerSecond(dark))} ms/s of the CPUs'.`);
  }
  return lines.length > 0 && el("div", {class: "notes small", id: "losses"}, lines.map((words) => el("p", null, words)));
}

// --- CPUs over time

function cpuStrip(cpu) {
  const slots = Math.max(...report.strips.cpus.map((one) => one.busy.length));
  const most = Math.max(1, ...report.strips.cpus.flatMap((one) => one.queue));
  return plot("cpu", `CPU ${cpu.cpu} over time`, (width) => {
    const left = 0, right = width, high = 26, deep = 20, middle = high + 3;
    const scale = linearScale(0, slots, left, right);
    const wide = (right - left) / slots;
    // The outline of many slots at once; one element each would be thousands.
    const outline = (values, y0, height, full) => {
      let path = `M${left} ${y0}`;
      values.forEach((one, i) => {
        const y = (y0 + (height * Math.min(1, one / full))).toFixed(1);
        path += `L${scale(i).toFixed(1)} ${y}L${(scale(i) + wide).toFixed(1)} ${y}`;
      });
      return path + `L${scale(values.length).toFixed(1)} ${y0}Z`;
    };
    const box = svg("rect", {x: left, y: 0, width: right - left, height: middle + deep, fill: "transparent"});
    tip(box, "");
    box.addEventListener("pointermove", (event) => {
      const at = Math.floor(((event.clientX - box.getBoundingClientRect().left) / (right - left)) * slots);
      if (at >= 0 && at < cpu.busy.length) {
        tipBox.textContent = `CPU ${cpu.cpu} at ${shortDuration(at * Number(report.strips.slot_ns))}\n` +
          `${percent(cpu.busy[at])} busy, ${number(cpu.queue[at] || 0)} waiting`;
      }
    });
    return [middle + deep, [
      svg("rect", {x: left, y: 0, width: right - left, height: high, class: "lane"}),
      svg("path", {d: outline(cpu.busy, high, -high, 1), class: "slot-busy"}),
      svg("path", {d: outline(cpu.unknown, high, -high, 1), class: "slot-unknown"}),
      svg("path", {d: outline(cpu.queue, middle, deep, most), class: "slot-queue"}),
      line(left, high, right, high, "axis"), box]];
  });
}

function timeAxis() {
  const span = Math.max(...report.strips.cpus.map((one) => one.busy.length)) * Number(report.strips.slot_ns);
  return plot("time-axis", "time", (width) => {
    const scale = linearScale(0, span, 0, width);
    return [18, scale.ticks.map((tick, i) => [line(scale(tick), 0, scale(tick), 4, "axis"),
      scale(tick) < width - 20 && text(scale(tick), 15, i === 0 ? "" : "mid", shortDuration(tick))])];
  });
}

function machine() {
  const cpus = report.strips.cpus.filter((cpu) => cpu.busy.length > 0);
  if (cpus.length === 0) return null;
  const most = Math.max(0, ...report.strips.cpus.flatMap((one) => one.queue));
  const one = (cpu) => {
    const times = report.machine.by_cpu[cpu.cpu];
    return el("div", {class: "cpu-row"}, el("div", {class: "head small"}, el("b", null, `CPU ${cpu.cpu}`),
      times && el("span", {class: "soft"}, percent(Number(times.busy_ns) / length) + " busy")), cpuStrip(cpu));
  };
  const shown = 16;
  return [
    el("h2", null, "CPUs over time"),
    el("p", {class: "lead small"}, `Up: busy. Down: threads that wait for the CPU, at most ${number(most)}.`),
    legend([["running", "busy"], ["preempted", "waiting"], ["unknown", "not known"]]),
    el("div", {class: "card"}, cpus.slice(0, shown).map(one), timeAxis(),
      cpus.length > shown && el("details", null, el("summary", null, `${cpus.length - shown} more CPUs`), cpus.slice(shown).map(one))),
  ];
}

// --- groups

function groups() {
  const all = report.groups.map((group) => ({group, shares: msShares(group), most: 0}));
  all.forEach((one) => { one.most = total(awake(one.shares)); });
  all.sort((a, b) => b.most - a.most);
  const full = Math.max(1e-9, ...all.map((one) => one.most));
  const times = (kind, key) => (one) => {
    const found = one.group.times[kind][key];
    return found === null || Number(one.group.times[kind].count) === 0 ? "–" : duration(Number(found));
  };
  const sorted = (kind, key) => (one) => Number(one.group.times[kind][key] || 0);
  const columns = [
    {title: "group", class: "name group", cell: (one) => el("div", null, opener(one), one.group.threads > 1 && el("span", {class: "range"}, count(one.group.threads, "thread")))},
    {title: "running and waiting", class: "bar-cell", sort: (one) => one.most, cell: (one) => groupBar(one.shares, full)},
    {title: "CPU ms/s", number: true, sort: (one) => one.shares.running, cell: (one) => number(one.shares.running)},
    {title: "wait ms/s", number: true, sort: (one) => waiting(one.group), cell: (one) => number(msPerSecond(waiting(one.group)))},
    {title: "D ms/s", number: true, sort: (one) => one.shares.blocked, cell: (one) => number(one.shares.blocked)},
    {title: "wakeups/s", number: true, sort: (one) => Number(one.group.wakeups), cell: (one) => number(rate(one.group.wakeups))},
    {title: "latency p50", number: true, sort: sorted("wakeup_latency", "p50_ns"), cell: times("wakeup_latency", "p50_ns")},
    {title: "p99", number: true, sort: sorted("wakeup_latency", "p99_ns"), cell: times("wakeup_latency", "p99_ns")},
    {title: "max", number: true, sort: sorted("wakeup_latency", "max_ns"), cell: times("wakeup_latency", "max_ns")},
  ];
  const shown = 12;
  const rest = all.length > shown && table("groups", columns, all.slice(shown));
  return [
    el("h2", null, "Where time went"),
    el("p", {class: "lead small"}, "Threads of the same names, digits aside, are a group. Bars are of one scale. Latency is from the wakeup to the run; quantiles of too few waits are left out. A group's name opens its distributions."),
    shareLegend(all.map((one) => awake(one.shares))),
    table("groups", columns, all.slice(0, shown)),
    rest && el("details", {id: "more-groups"}, el("summary", null, `${all.length - shown} more groups`), filter(rest, "Filter by name"), rest),
  ];
}

// The name, which opens and closes a row below it.
function opener(one) {
  let below = null;
  const button = el("button", {class: "open", type: "button", "aria-expanded": "false", onclick: () => {
    if (below) { below.remove(); below = null; }
    else {
      const row = button.closest("tr");
      below = el("tr", {class: "below"}, el("td", {colspan: row.children.length}, groupDetails(one)));
      row.after(below);
    }
    button.setAttribute("aria-expanded", String(below !== null));
  }}, name(one.group));
  return button;
}

function groupDetails(one) {
  const kinds = Object.entries(one.group.times).filter(([, times]) => times.histogram.length > 0);
  const quantile = (times, key) => times[key] === null ? "–" : duration(Number(times[key]));
  return el("div", null,
    el("h4", null, "All of its time, ms/s"),
    plot("partition", "Where its time went", (width) => [18, stackedBar(one.shares, total(one.shares) || 1, 0, 2, width, 14, "ms/s")]),
    shareLegend([one.shares]),
    el("div", {class: "plots"}, kinds.map(([kind, times]) => el("div", null, el("h4", null, kTimeWords[kind]),
      distributionPlot([{name: "base", bars: times.histogram, seconds: inSeconds}], 110),
      el("p", {class: "small soft"}, `${number(rate(times.count))}/s, ${number(msPerSecond(times.total_ns))} ms/s · p50 ${quantile(times, "p50_ns")} · p99 ${quantile(times, "p99_ns")} · max ${quantile(times, "max_ns")}`,
        Number(times.cut) > 0 && ` · ${times.cut} cut by the edges`, Number(times.unknown) > 0 && ` · ${times.unknown} not known`)))));
}

function groupBar(shares, full) {
  return plot("partition", "Where its time went", (width) => [16, stackedBar(awake(shares), full, 0, 2, width, 12, "ms/s")]);
}

// --- for whom

const kBlames = [
  ["held_cpu", "who held the CPU", "Rows waited for a CPU while columns ran on it, ms/s.", (blame) => msPerSecond(blame.ns)],
  ["preempted_by", "who preempts whom", "Rows were preempted by columns, times a second.", (blame) => rate(blame.count)],
  ["woken_by", "who ended their sleep in D", "Rows were blocked until columns woke them, ms/s.", (blame) => msPerSecond(blame.blocked_ns)],
  ["held_cpu_lower", "lower priorities", "Rows waited while columns, of lower priority, held the CPU, ms/s.", (blame) => msPerSecond(blame.ns)],
];
const other = (blame) => blame.group === undefined ? blame.other : blame.group;
const otherName = (one) => typeof one === "number" ? name(report.groups[one]) : one === "interrupt" ? "interrupt or timer" : "not known";

function matrix(kind, amount) {
  const most = 9;
  const rows = report.groups.map((group) => ({group, parts: group.blames[kind].map((blame) => [other(blame), amount(blame)]).filter((part) => part[1] > 0)}));
  rows.forEach((row) => { row.all = sum(row.parts.map((part) => part[1])); });
  const top = rows.filter((row) => row.all > 0).sort((a, b) => b.all - a.all).slice(0, most);
  if (top.length === 0) return null;
  const totals = new Map();
  for (const row of top) for (const [whom, n] of row.parts) totals.set(whom, (totals.get(whom) || 0) + n);
  const heads = [...totals].sort((a, b) => b[1] - a[1]).slice(0, most).map(([whom]) => whom);
  const high = Math.max(...top.flatMap((row) => row.parts.map((part) => part[1])));
  const cell = (n, words) => {
    const node = el("td", null, n > 0 ? number(n) : "");
    if (n <= 0) return node;
    const share = Math.round(8 + 62 * Math.sqrt(n / high));
    node.style.background = `color-mix(in srgb, var(--preempted) ${share}%, transparent)`;
    tip(node, words);
    return node;
  };
  return el("div", {class: "scroll"}, el("table", {class: "matrix"},
    el("thead", null, el("tr", null, el("th", null, ""), heads.map((whom) => el("th", {scope: "col"}, otherName(whom))), el("th", {scope: "col"}, "all"))),
    el("tbody", null, top.map((row) => el("tr", null, el("th", {class: "row", scope: "row"}, name(row.group)),
      heads.map((whom) => {
        const found = row.parts.find((part) => part[0] === whom);
        return cell(found ? found[1] : 0, `${name(row.group)}\nbecause of ${otherName(whom)}: ${number(found ? found[1] : 0)}`);
      }), el("td", {class: "soft"}, number(row.all)))))));
}

function blame() {
  const tables = kBlames.map(([kind, words, about, amount]) => ({words, about, node: matrix(kind, amount)})).filter((one) => one.node);
  if (tables.length === 0) return null;
  const about = el("p", {class: "lead small"});
  const shown = el("div", {class: "card", id: "blame"});
  const buttons = tables.map((one) => el("button", {class: "tab", type: "button", onclick: () => show(one)}, one.words));
  const show = (one) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(tables[i] === one)));
    about.textContent = one.about;
    shown.replaceChildren(one.node);
  };
  show(tables[0]);
  return [el("h2", null, "For whom they waited"), el("div", null, buttons), about, shown];
}

// --- the longest waits

const kKindWords = {wakeup: "woken, not yet run", preempted: "preempted", blocked: "blocked (D)", sleep: "asleep", stopped: "stopped"};

function waits(title, id, some) {
  if (some.length === 0) return null;
  return [el("h2", {id}, title), some.map((wait, i) => {
    const shown = instances.find((one) => one.begin_ns === wait.begin_ns && one.thread.id === wait.thread.id) || instanceOf(wait);
    const held = wait.kind === "blocked" ? [] : wait.holders.slice(0, 4);
    return el("details", {class: "card wait", open: i === 0},
      el("summary", null, duration(Number(wait.length_ns)), " ", threadName(wait.thread), " ",
        el("span", {class: "soft"}, `${kKindWords[wait.kind] || wait.kind}, CPU ${wait.cpu}, at ${duration(Number(wait.begin_ns) - Number(report.begin_ns))}`)),
      el("ul", {class: "because"},
        held.length > 0 && el("li", null, "its CPU ran " + held.map((one) => `${threadName(one.thread)} ${duration(Number(one.ns))}`).join(", ")),
        wait.chain.length > 0 && el("li", null, "woken by " + chainWords(wait.chain)),
        el("li", {class: "soft mono"}, `--from @${shown.first_ns} --to @${shown.last_ns}`)),
      strip(shown), stripLegend(shown));
  })];
}

// --- system calls and interrupts, where they were recorded

function lengths(rows, words, id) {
  if (rows.length === 0) return null;
  const quantile = (key) => (row) => row.times[key] === null || row.times[key] === undefined ? "–" : duration(Number(row.times[key]));
  const list = table(id, [
    rows.some((row) => row.group) && {title: "group", class: "name group", cell: (row) => row.group},
    {title: words, class: "name wide", cell: (row) => row.name},
    {title: "times/s", number: true, sort: (row) => Number(row.times.count), cell: (row) => number(rate(row.times.count))},
    {title: "ms/s", number: true, sort: (row) => Number(row.times.total_ns), cell: (row) => number(msPerSecond(row.times.total_ns))},
    {title: "p50", number: true, sort: (row) => Number(row.times.p50_ns), cell: quantile("p50_ns")},
    {title: "p99", number: true, sort: (row) => Number(row.times.p99_ns), cell: quantile("p99_ns")},
    {title: "max", number: true, sort: (row) => Number(row.times.max_ns), cell: quantile("max_ns")},
  ].filter(Boolean), rows.sort((a, b) => Number(b.times.total_ns) - Number(a.times.total_ns)));
  return el("details", {id}, el("summary", null, words + "s ", el("span", {class: "soft"}, count(rows.length, "row"))), filter(list, "Filter"), list);
}

document.title = title() + " – fxt report";
add(document.getElementById("page"), [
  head(), machine(), groups(), blame(),
  waits("The longest waits for a CPU", "worst-waits", report.worst_waits),
  waits("The longest waits in D", "worst-blocked", report.worst_blocked),
  (report.groups.some((group) => Object.keys(group.syscalls).length > 0) || Object.keys(report.handlers).length > 0) && el("h2", null, "Calls and interrupts"),
  lengths(report.groups.flatMap((group) => Object.entries(group.syscalls).map(([call, times]) => ({group: name(group), name: call, times}))), "system call", "syscalls"),
  lengths(Object.entries(report.handlers).map(([handler, times]) => ({name: handler, times})), "interrupt", "interrupts"),
  el("footer", null, `Made by fxt report${report.recorder ? " from a capture of fxt-record " + report.recorder : ""}. This page holds all of its data.`),
]);
document.body.append(tipBox);
