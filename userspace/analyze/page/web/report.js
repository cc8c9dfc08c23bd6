// SPDX-License-Identifier: BSD-2-Clause
// The page of a report.

const report = data("data");
const instances = data("instances") || [];
const length = Number(report.length_ns) || 1;
const inSeconds = length / 1e9;
const rate = (n) => Number(n) / inSeconds;
const msPerSecond = (ns) => Number(ns) / 1e6 / inSeconds;
const msShares = (group) =>
    Object.fromEntries(kShares.map((share) => [share, msPerSecond(group.share_ns[share] || 0)]));
const name = (group) => groupName(group) + (group.of_command ? " *" : "");
const waiting = (group) =>
    Number(group.share_ns.runnable_wakeup) + Number(group.share_ns.runnable_preempted);
const sum = (some) => some.reduce((all, one) => all + Number(one), 0);

function fact(figure, words) {
  return el("div", {class: "fact"}, el("b", null, figure), el("span", null, words));
}

// The program without its folder.
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
  if (report.start_time !== null)
    words.push(
        new Date(report.start_time * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC");
  return [
    el("div", {class: "eyebrow"}, "fxt report"),
    el("h1", null, [...title()].length > 120 ? [...title()].slice(0, 119).join("") + "…" : title()),
    el("p", {class: "lead"}, words.join(" · "), report.command && ". Its groups are marked *"),
    report.command && el("p", {class: "mono soft"}, report.command),
    el("p", {class: "mono soft"}, report.file),
    el("div", {class: "facts"}, fact(percent(busy / Math.max(1, known)), "busy"),
       fact(number((busy + waits) / length), "load: running and waiting"),
       fact(number(waits / length), "threads waiting, on average"),
       fact(
           number(rate(sum(report.groups.map(
               (group) => Number(group.switches_voluntary) + Number(group.switches_involuntary))))),
           "switches a second"),
       fact(number(rate(sum(report.groups.map((group) => group.wakeups)))), "wakeups a second"),
       report.elapsed_ns !== null && fact(duration(Number(report.elapsed_ns)), "the command took")),
    uncertain(),
  ];
}

function uncertain() {
  const unknown = (cause) => sum(report.groups.map((group) => group.unknown_ns[cause]));
  const all =
      sum(report.groups.map((group) => sum(kShares.map((share) => group.share_ns[share] || 0))));
  const part = (cause) => percent(unknown(cause) / Math.max(1, all));
  const dark = sum(report.machine.by_cpu.map((cpu) => cpu.unknown_ns));
  const lines = [...report.notes];
  if (Number(report.lost_events) > 0) {
    lines.push(`${
        number(Number(
            report.lost_events))} events were lost: ${part("lost_events")} of the threads' time touches a loss.`);
  }
  if (Number(report.unseen_switches) > 0)
    lines.push(`${
        count(Number(report.unseen_switches), "switch", "switches")} of CPUs could not be seen: ${
        part("hidden_switch")} of the threads' time around them.`);
  if (dark > 0) lines.push(`What CPUs did is not known for ${number(msPerSecond(dark))} ms/s.`);
  // No defect of the trace: it stands outside of the box.
  const before = unknown("before_first_event") > 0 &&
      el("p", {class: "soft small"}, `${part("before_first_event")} of the threads' time is before their first ` +
                                         "event, where most slept since before the recording.");
  return [
    lines.length > 0 &&
        el("div", {class: "notes small", id: "losses"}, lines.map((words) => el("p", null, words))),
    before,
  ];
}

// --- CPUs over time

const slots = greatest(report.strips.cpus.map((one) => one.busy.length), 0);
const longestQueue = greatest(report.strips.cpus.map((one) => greatest(one.queue, 0)), 0);

function cpuStrip(cpu) {
  const most = Math.max(1, longestQueue);
  return plot("cpu", `CPU ${cpu.cpu} over time`, (width) => {
    const left = 0, right = width, high = 26, deep = 20, middle = high + 3;
    const scale = linearScale(0, slots, left, right);
    const wide = (right - left) / slots;
    // One path for all slots: an element for each would be thousands.
    const outline = (values, y0, height, full) => {
      let path = `M${left} ${y0}`;
      values.forEach((one, i) => {
        const y = (y0 + (height * Math.min(1, one / full))).toFixed(1);
        path += `L${scale(i).toFixed(1)} ${y}L${(scale(i) + wide).toFixed(1)} ${y}`;
      });
      return path + `L${scale(values.length).toFixed(1)} ${y0}Z`;
    };
    const box = svg(
        "rect", {x: left, y: 0, width: right - left, height: middle + deep, fill: "transparent"});
    tip(box, "");
    box.addEventListener("pointermove", (event) => {
      const at =
          Math.floor(((event.clientX - box.getBoundingClientRect().left) / (right - left)) * slots);
      if (at >= 0 && at < cpu.busy.length) {
        tipBox.textContent =
            `CPU ${cpu.cpu} at ${shortDuration(at * Number(report.strips.slot_ns))}\n` +
            `${percent(cpu.busy[at])} busy, ${number(cpu.queue[at] || 0)} waiting`;
      }
    });
    return [
      middle + deep,
      [
        svg("rect", {x: left, y: 0, width: right - left, height: high, class: "lane"}),
        svg("path", {d: outline(cpu.busy, high, -high, 1), class: "slot-busy"}),
        svg("path", {d: outline(cpu.unknown, high, -high, 1), class: "slot-unknown"}),
        svg("path", {d: outline(cpu.queue, middle, deep, most), class: "slot-queue"}),
        line(left, high, right, high, "axis"), box
      ]
    ];
  });
}

function timeAxis() {
  const span = slots * Number(report.strips.slot_ns);
  return plot("time-axis", "time", (width) => {
    const scale = linearScale(0, span, 0, width);
    return [
      18,
      scale.ticks.map(
          (tick, i) =>
              [line(scale(tick), 0, scale(tick), 4, "axis"),
               scale(tick) < width - 20 &&
                   text(scale(tick), 15, i === 0 ? "" : "mid", shortDuration(tick))])
    ];
  });
}

function machine() {
  const cpus = report.strips.cpus.filter((cpu) => cpu.busy.length > 0);
  if (cpus.length === 0) return null;
  const one = (cpu) => {
    const times = report.machine.by_cpu[cpu.cpu];
    return el(
        "div", {class: "cpu-row"},
        el("div", {class: "head small"}, el("b", null, `CPU ${cpu.cpu}`),
           times && el("span", {class: "soft"}, percent(Number(times.busy_ns) / length) + " busy")),
        cpuStrip(cpu));
  };
  const shown = 16;
  return [
    el("h2", null, "CPUs over time"),
    el("p", {class: "lead small"},
       `Up: busy. Down: threads that wait for the CPU, at most ${number(longestQueue)}.`),
    legend([["running", "busy"], ["preempted", "waiting"], ["unknown", "not known"]]),
    el("div", {class: "card"}, cpus.slice(0, shown).map(one), timeAxis(),
       cpus.length > shown &&
           el("details", null, el("summary", null, `${cpus.length - shown} more CPUs`),
              cpus.slice(shown).map(one))),
  ];
}

// --- the longest waits

const kKindWords = {
  wakeup: "woken, not yet run",
  preempted: "preempted",
  blocked: "blocked (D)",
  sleep: "asleep",
  stopped: "stopped",
  throttled: "throttled (quota)"
};

function waits(title, id, some) {
  if (some.length === 0) return null;
  return [
    el("h2", {id}, title), some.map((wait, i) => {
      const shown =
          instances.find(
              (one) => one.begin_ns === wait.begin_ns && one.thread.id === wait.thread.id);
      const held = wait.kind === "blocked" ? [] : wait.holders.slice(0, 4);
      return el(
          "details", {class: "card wait", open: i === 0},
          el("summary", null, duration(Number(wait.length_ns)), " ", threadName(wait.thread), " ",
             el("span", {class: "soft"},
                `${kKindWords[wait.kind] || wait.kind}, CPU ${wait.cpu}, at ${
                    duration(Number(wait.begin_ns) - Number(report.begin_ns))}`)),
          el("ul", {class: "because"},
             held.length > 0 &&
                 el("li", null,
                    "its CPU ran " +
                        held.map((one) => `${threadName(one.thread)} ${duration(Number(one.ns))}`)
                            .join(", ")),
             wait.reason && el("li", null, "waited for " + wait.reason),
             wait.chain.length > 0 && el("li", null, "woken by " + chainWords(wait.chain)),
             shown &&
                 el("li", {class: "soft mono"}, `--from @${shown.first_ns} --to @${shown.last_ns}`)),
          shown && picture(shown, "CPUs and threads around it"));
    })
  ];
}

// --- system calls and interrupts, if they were recorded

function lengths(rows, words, id) {
  if (rows.length === 0) return null;
  const quantile = (key) => (row) => row.times[key] === null || row.times[key] === undefined ?
      "–" :
      duration(Number(row.times[key]));
  const list = table(
      id,
      [
        rows.some((row) => row.group) &&
            {title: "group", class: "name group", cell: (row) => row.group},
        {title: words, class: "name wide", cell: (row) => row.name},
        {
          title: "times/s",
          number: true,
          sort: (row) => Number(row.times.count),
          cell: (row) => number(rate(row.times.count))
        },
        {
          title: "ms/s",
          number: true,
          sort: (row) => Number(row.times.total_ns),
          cell: (row) => number(msPerSecond(row.times.total_ns))
        },
        {
          title: "p50",
          number: true,
          sort: (row) => Number(row.times.p50_ns),
          cell: quantile("p50_ns")
        },
        {
          title: "p99",
          number: true,
          sort: (row) => Number(row.times.p99_ns),
          cell: quantile("p99_ns")
        },
        {
          title: "max",
          number: true,
          sort: (row) => Number(row.times.max_ns),
          cell: quantile("max_ns")
        },
      ].filter(Boolean),
      rows.sort((a, b) => Number(b.times.total_ns) - Number(a.times.total_ns)));
  return el(
      "details", {id},
      el("summary", null, words + "s ", el("span", {class: "soft"}, count(rows.length, "row"))),
      filter(list, "Filter"), list);
}

document.title = title() + " – fxt report";
add(document.getElementById("page"), [
  head(),
  machine(),
  groups(),
  blame(),
  waits("The longest waits for a CPU", "worst-waits", report.worst_waits),
  waits("The longest waits in D", "worst-blocked", report.worst_blocked),
  (report.groups.some((group) => Object.keys(group.syscalls).length > 0) ||
   Object.keys(report.handlers).length > 0) &&
      el("h2", null, "Calls and interrupts"),
  lengths(
      report.groups.flatMap(
          (group) => Object.entries(group.syscalls)
                         .map(([call, times]) => ({group: name(group), name: call, times}))),
      "system call", "syscalls"),
  lengths(
      Object.entries(report.handlers).map(([handler, times]) => ({name: handler, times})),
      "interrupt", "interrupts"),
  el("footer", null,
     `Made by fxt report${
         report.recorder ? " from a capture of fxt-record " + report.recorder :
                           ""}. This page holds all of its data.`),
]);
document.body.append(tipBox);
