// SPDX-License-Identifier: BSD-2-Clause
// The rows of the timeline: which lanes there are, in which order, and which of them are shown.

const HEIGHTS = { section: 22, process: 22, c: 24, s: 18, d: 16, a: 16, i: 12, k: 34 };
const GAP = 2;
const MAX_ROWS = 8; // of nested spans that a lane shows
const OPEN_PROCESSES = 8;

function nameOf(one, fallback) {
  return one.name || fallback;
}

export function threadLabel(thread) {
  const name = nameOf(thread, 'thread');
  return thread.tid === undefined ? name : `${name} ${thread.tid}`;
}

function processLabel(process) {
  if (process.pid === undefined) return nameOf(process, 'no process');
  return `${nameOf(process, 'process')} ${process.pid}`;
}

export function counterLabel(counter) {
  const series = counter.series && counter.series !== counter.name ? ` ${counter.series}` : '';
  return `${counter.name}${series}${counter.id === '0' ? '' : ` ${counter.id}`}`;
}

export class Lanes {
  constructor() {
    this.traces = []; // {label, cpus, processes, threads: number -> thread}
    this.isOpen = new Map(); // key of a section or process -> whether its lanes are shown
    this.busy = [null, null]; // numbers of threads that did something in the range, or null: all
    this.rows = [];
    this.height = 0;
    this.byLane = new Map(); // "trace:lane" -> row
    this.byTid = new Map(); // "trace:tid" -> number of the thread
  }

  setTrace(trace, label, found) {
    const threads = new Map();
    for (const process of found.processes) {
      for (const thread of process.threads) {
        thread.process = process;
        threads.set(thread.number, thread);
        if (thread.tid !== undefined) this.byTid.set(`${trace}:${thread.tid}`, thread.number);
      }
    }
    this.traces[trace] = { label, cpus: found.cpus, processes: found.processes, threads, leftOut: found.left_out };
  }

  thread(trace, number) {
    return this.traces[trace]?.threads.get(number) ?? null;
  }

  toggle(row) {
    this.isOpen.set(row.key, !row.isOpen);
  }

  /** Makes the rows anew. `filter` is text that names of lanes must have; pinned lanes come first. */
  layOut({ filter, pinned, hidesIdle }) {
    this.rows = [];
    this.byLane = new Map();
    const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const fits = (...texts) => {
      const all = texts.join(' ').toLowerCase();
      return words.every((word) => all.includes(word));
    };
    const isSeveral = this.traces.length > 1;
    this.pinnedRows = 0;
    this.traces.forEach((trace, number) => {
      if (isSeveral) this.#addHeader({ kind: 'section', key: `trace${number}`, trace: number, label: trace.label });
      if (isSeveral && !this.rows.at(-1).isOpen) return;
      this.#addCpus(trace, number, fits);
      trace.processes.forEach((process, i) => this.#addProcess(process, number, i, fits, hidesIdle, words.length > 0));
    });
    this.#pin(pinned);
    let y = 0;
    for (const row of this.rows) {
      row.y = y;
      y += row.height + GAP;
    }
    this.height = y;
  }

  #addHeader(row, isOpenFirst = true) {
    row.isOpen = this.isOpen.get(row.key) ?? isOpenFirst;
    row.height = HEIGHTS[row.kind];
    this.rows.push(row);
    return row.isOpen;
  }

  #addLane(row) {
    const unit = HEIGHTS[row.lane[0]];
    row.kind = row.lane[0];
    row.unit = unit;
    row.height = unit * Math.max(1, Math.min(row.depths ?? 1, MAX_ROWS));
    this.rows.push(row);
    this.byLane.set(`${row.trace}:${row.lane}`, row);
  }

  #addCpus(trace, number, fits) {
    const cpus = trace.cpus.filter((cpu) => fits('cpu', `cpu ${cpu}`, `cpu${cpu}`));
    if (cpus.length === 0) return;
    if (!this.#addHeader({ kind: 'section', key: `cpus${number}`, trace: number, label: 'CPUs' })) return;
    for (const cpu of cpus) this.#addLane({ trace: number, lane: `c${cpu}`, label: `CPU ${cpu}` });
  }

  #addProcess(process, trace, order, fits, hidesIdle, isFiltered) {
    const label = processLabel(process);
    const busy = hidesIdle ? this.busy[trace] : null;
    const threads = process.threads.filter((thread) =>
      (!busy || busy.has(thread.number)) && fits(label, threadLabel(thread)));
    const async = process.async.filter((track) => fits(label, track.name, track.category));
    const counters = process.counters.filter((counter) => fits(label, counterLabel(counter)));
    if (threads.length + async.length + counters.length === 0) return;
    const opens = isFiltered || order < OPEN_PROCESSES;
    const isOpen = this.#addHeader({ kind: 'process', key: `process${trace}:${process.koid}`, trace, label, process,
      run: process.run }, opens);
    if (!isOpen) return;
    for (const thread of threads) this.#addThread(thread, trace);
    for (const track of async) {
      this.#addLane({ trace, lane: `a${track.number}`, label: track.name || 'operations', depths: track.rows });
    }
    for (const counter of counters) this.#addLane({ trace, lane: `k${counter.number}`, label: counterLabel(counter) });
  }

  #addThread(thread, trace) {
    const label = threadLabel(thread);
    if (thread.states) this.#addLane({ trace, lane: `s${thread.number}`, label, thread });
    if (thread.rows > 0) {
      this.#addLane({ trace, lane: `d${thread.number}`, label: thread.states ? 'spans' : label, thread,
        isSub: thread.states, depths: thread.rows });
    }
    if (thread.instants) {
      const isSub = thread.states || thread.rows > 0;
      this.#addLane({ trace, lane: `i${thread.number}`, label: isSub ? 'instants' : label, thread, isSub });
    }
  }

  #pin(pinned) {
    const rows = pinned.map((key) => this.byLane.get(key) ?? this.#rowOf(key)).filter((row) => row !== null);
    if (rows.length === 0) return;
    const taken = new Set(rows);
    rows.forEach((row) => {
      row.isPinned = true;
      if (row.isSub) row.label = `${threadLabel(row.thread)} ${row.label}`;
      this.byLane.set(`${row.trace}:${row.lane}`, row);
    });
    this.rows = [...rows, ...this.rows.filter((row) => !taken.has(row))];
    this.pinnedRows = rows.length;
  }

  /** A row for a pinned lane that the filter leaves out. */
  #rowOf(key) {
    const [trace, lane] = [Number(key[0]), key.slice(2)];
    const thread = this.thread(trace, Number(lane.slice(1)));
    const kind = lane[0];
    const unit = HEIGHTS[kind];
    const row = { trace, lane, kind, unit, height: unit, label: lane };
    if (kind === 'c') row.label = `CPU ${lane.slice(1)}`;
    if ('sdi'.includes(kind)) {
      if (!thread) return null;
      Object.assign(row, { thread, label: threadLabel(thread), isSub: kind !== 's' });
      if (kind === 'd') Object.assign(row, { depths: thread.rows, height: unit * Math.min(thread.rows, MAX_ROWS) });
    }
    return row;
  }

  /** Opens what hides the lane. False if there is no such lane. */
  open(trace, lane) {
    if ('sdi'.includes(lane[0])) {
      const thread = this.thread(trace, Number(lane.slice(1)));
      if (!thread) return false;
      this.isOpen.set(`process${trace}:${thread.process.koid}`, true);
    } else if (lane[0] !== 'c') {
      const kind = lane[0] === 'a' ? 'async' : 'counters';
      const number = Number(lane.slice(1));
      const process = this.traces[trace]?.processes.find((one) => one[kind].some((track) => track.number === number));
      if (!process) return false;
      this.isOpen.set(`process${trace}:${process.koid}`, true);
    } else {
      this.isOpen.set(`cpus${trace}`, true);
    }
    this.isOpen.set(`trace${trace}`, true);
    return true;
  }
}
