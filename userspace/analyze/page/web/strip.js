// SPDX-License-Identifier: BSD-2-Clause
// What went on around a wait or a run: a lane for each CPU, and one for each thread of the chain.

// `shown` is {begin_ns, length_ns, first_ns, last_ns, thread, chain, cpus, threads}, as pages have
// instances.
function strip(shown) {
  const begin = Number(shown.begin_ns), end = begin + Number(shown.length_ns);
  const first = Number(shown.first_ns), last = Number(shown.last_ns);
  const wakers = new Set(shown.chain.filter((link) => link.waker).map((link) => link.waker.id));
  wakers.delete(shown.thread.id);
  return plot("strip", "CPUs and threads around it", (width) => {
    const left = width < 520 ? 64 : 132, right = width - 2, pitch = 24, high = 18;
    const scale = linearScale(first - begin, last - begin, left, right);
    const at = (ns) => scale(Number(ns) - begin);
    const rows = [
      ...shown.threads.map((lane) => ({thread: lane.thread, lane})),
      ...shown.cpus.map((cpu) => ({cpu}))
    ];
    const bottom = rows.length * pitch + 4;
    const parts = [];
    rows.forEach((row, i) => {
      const y = i * pitch + 4;
      parts.push(
          svg("rect", {x: left, y, width: right - left, height: high, rx: 2, class: "lane"}));
      if (row.cpu) {
        parts.push(text(0, y + 13, "", `CPU ${row.cpu.cpu}`));
        parts.push(
            row.cpu.pieces.map((piece) => cpuPiece(piece, at, y, high, shown.thread, wakers)));
      } else {
        const name = fitted(threadName(row.thread), left - 8);
        parts.push(svg(
            "text",
            {x: 0, y: y + 13, class: "strong", tip: `${threadName(row.thread)} [${row.thread.id}]`},
            name));
        parts.push(row.lane.states.map((state) => threadState(state, at, y, high, row.thread)));
      }
    });
    parts.unshift(svg("rect", {
      x: at(begin),
      y: 0,
      width: Math.max(1, at(end) - at(begin)),
      height: bottom,
      class: "window"
    }));
    parts.push(
        line(at(begin), 0, at(begin), bottom, "window-edge"),
        line(at(end), 0, at(end), bottom, "window-edge"));
    parts.push(wakes(shown, rows, at, pitch, left, right));
    for (const tick of scale.ticks) {
      parts.push(line(scale(tick), bottom, scale(tick), bottom + 4, "axis"));
      parts.push(text(scale(tick), bottom + 16, "mid", tick === 0 ? "0" : shortDuration(tick)));
    }
    return [bottom + 20, parts];
  });
}

function cpuPiece(piece, at, y, high, self, wakers) {
  const x = at(piece.begin_ns), wide = at(piece.end_ns) - x;
  const length = Number(piece.end_ns) - Number(piece.begin_ns);
  if (piece.what === "idle") {
    return svg("rect", {
      x,
      y: y + high - 2,
      width: wide,
      height: 2,
      class: "piece-idle",
      tip: `idle\n${duration(length)}`
    });
  }
  if (piece.what === "unknown" || piece.what === "many") {
    const share = piece.what === "many" ? Number(piece.busy_ns) / Math.max(1, length) : 1;
    return svg("rect", {
      x,
      y: y + high * (1 - share),
      width: Math.max(0.5, wide),
      height: high * share,
      class: "piece-" + piece.what,
      tip: piece.what === "many" ? `short runs, ${percent(share)} busy\n${duration(length)}` :
                                   `not known\n${duration(length)}`
    });
  }
  const role = piece.thread.id === self.id ? "self" :
      wakers.has(piece.thread.id)          ? "waker" :
                                             "other";
  const name = fitted(threadName(piece.thread), wide - 6, 5.6);
  return [
    svg("rect", {
      x,
      y,
      width: Math.max(0.5, wide - (wide > 2 ? 0.5 : 0)),
      height: high,
      class: "piece-" + role,
      tip: `${threadName(piece.thread)} [${piece.thread.id}]\n${duration(length)}`
    }),
    name && text(x + 3, y + 13, role === "other" ? "in" : "in-self", name),
  ];
}

function threadState(state, at, y, high, thread) {
  if (state.state === "absent") return null;
  const x = at(state.begin_ns), wide = at(state.end_ns) - x;
  const thin = state.state === "sleeping" || state.state === "unknown";
  return svg("rect", {
    x,
    y: thin ? y + 5 : y,
    width: Math.max(0.5, wide),
    height: thin ? high - 10 : high,
    class: state.state,
    tip: `${threadName(thread)}: ${kShareWords[state.state] || state.state}\n${
        duration(Number(state.end_ns) - Number(state.begin_ns))}`
  });
}

// An arrow from the lane of the waker to that of whom it woke.
function wakes(shown, rows, at, pitch, left, right) {
  const lane = (thread) =>
      rows.findIndex((row) => row.thread && thread && row.thread.id === thread.id);
  return shown.chain.map((link) => {
    const to = lane(link.woken), from = lane(link.waker);
    const x = at(link.time_ns);
    if (to < 0 || from < 0 || from === to || x < left || x > right) return null;
    const y1 = from * pitch + 13, y2 = to * pitch + 13;
    const down = y2 > y1 ? 1 : -1;
    return [
      line(x, y1, x, y2 - down * 5, "wake"), svg("path", {
        d: `M${x - 3.5} ${y2 - down * 8}L${x + 3.5} ${y2 - down * 8}L${x} ${y2}Z`,
        class: "wake-head"
      })
    ];
  });
}

function stripLegend(shown) {
  const states = new Set(shown.threads.flatMap((lane) => lane.states.map((state) => state.state)));
  return legend([
    ...kShares.filter((share) => states.has(share))
        .map((share) => [kShareColors[share], kShareWords[share]]),
    ["new", "on a CPU: the thread"], ["waker", "who woke it"], ["other", "others"],
    ["many", "short runs"], ["line", "idle"]
  ]);
}

// "bank/teller-1 ← bank/auditor ← an interrupt"
function chainWords(chain) {
  if (chain.length === 0) return "";
  return chain.map((link) => threadName(link.waker)).join(" ← ");
}

// A worst wait of a report as an instance, where the file could not be read for it again.
function instanceOf(wait) {
  const length = Number(wait.length_ns), begin = Number(wait.begin_ns);
  const margin = Math.floor(length / 8);
  const first = begin - margin, last = begin + length + margin;
  const cpus = new Map();
  for (const interval of wait.around) {
    const piece = {
      ...interval,
      begin_ns: Math.max(first, Number(interval.begin_ns)),
      end_ns: Math.min(last, Number(interval.end_ns))
    };
    if (piece.end_ns <= piece.begin_ns) continue;
    if (!cpus.has(interval.cpu)) cpus.set(interval.cpu, []);
    cpus.get(interval.cpu).push(piece);
  }
  const state = {
    wakeup: "runnable_wakeup",
    preempted: "runnable_preempted",
    blocked: "blocked",
    sleep: "sleeping"
  }[wait.kind] ||
      "unknown";
  // What the threads did is known where they ran.
  const runs = (id) => wait.around.filter((one) => one.what === "run" && one.thread.id === id)
                           .map((one) => ({
                                  state: "running",
                                  begin_ns: Math.max(first, Number(one.begin_ns)),
                                  end_ns: Math.min(last, Number(one.end_ns))
                                }))
                           .filter((one) => one.end_ns > one.begin_ns);
  const threads = [{
    thread: wait.thread,
    states: [{state, begin_ns: begin, end_ns: begin + length}, ...runs(wait.thread.id)]
  }];
  for (const link of wait.chain) {
    if (!link.waker || threads.some((lane) => lane.thread.id === link.waker.id)) continue;
    const states = runs(link.waker.id);
    if (states.length > 0) threads.push({thread: link.waker, states});
  }
  return {
    begin_ns: begin,
    length_ns: length,
    first_ns: first,
    last_ns: last,
    thread: wait.thread,
    chain: wait.chain,
    threads,
    cpus: [...cpus].sort((a, b) => a[0] - b[0]).map(([cpu, pieces]) => ({cpu, pieces}))
  };
}
