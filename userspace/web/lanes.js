// SPDX-License-Identifier: BSD-2-Clause
// The rows of the timeline: the lanes, their order, and the visible ones.
import { clean } from './text.js';

const HEIGHTS = { section: 22, process: 22, c: 24, s: 18, d: 16, a: 16, i: 12, k: 34, g: 14, l: 14 };
const GAP = 2;
// Heights of a row of nested or overlapping spans: [largest number of rows of the lane, height].
const UNITS = [[8, 16], [20, 11], [Infinity, 6]];
const OPEN_PROCESSES = 8;
// A section with more lanes is closed initially.
const OPEN_LANES = 16;

function nameOf(one, fallback) {
  return clean(one.name ?? '') || fallback;
}

export function threadLabel(thread) {
  const tid = thread.tid === undefined ? '' : ` ${thread.tid}`;
  return (thread.label ??= nameOf(thread, 'thread') + tid);
}

function processLabel(process) {
  if (process.pid === undefined) return nameOf(process, 'no process');
  return `${nameOf(process, 'process')} ${process.pid}`;
}

// The key of the header above the lanes of a process.
function keyOf(trace, process) {
  return process.role ? `${process.role}${trace}` : `process${trace}:${process.koid}`;
}

export function counterLabel(counter) {
  const series = counter.series && counter.series !== counter.name ? ` ${counter.series}` : '';
  return clean(`${counter.name}${series}${counter.id === '0' ? '' : ` ${counter.id}`}`);
}

/** The label of a lane of lost events. */
export function lossLabel(track) {
  return track.cpu === undefined ? 'all CPUs' : `CPU ${track.cpu}`;
}

export class Lanes {
  constructor() {
    this.traces = []; // {label, cpus, processes, interrupts, devices, losses, threads: number -> thread}
    this.isOpen = new Map(); // key of a section or process -> whether its lanes are shown
    this.busy = [null, null]; // numbers of the threads that are active in the range; null: all
    this.rows = [];
    this.height = 0;
    this.byLane = new Map(); // "trace:lane" -> row
    this.byTid = new Map(); // "trace:tid" -> number of the thread
    this.byKoid = new Map(); // "trace:koid" -> thread
  }

  setTrace(trace, label, found) {
    const threads = new Map();
    for (const process of found.processes) {
      for (const thread of process.threads) {
        thread.process = process;
        threads.set(thread.number, thread);
        this.byKoid.set(`${trace}:${thread.koid}`, thread);
        if (thread.tid !== undefined) this.byTid.set(`${trace}:${thread.tid}`, thread.number);
      }
    }
    const ofRole = (role) => found.processes.filter((process) => process.role === role);
    const interrupts = ofRole('irq').flatMap((process) => process.threads);
    this.traces[trace] = { label, cpus: found.cpus, processes: found.processes.filter((process) => !process.role),
      interrupts: interrupts.sort((a, b) => (a.cpu ?? 0) - (b.cpu ?? 0)), devices: ofRole('device'),
      losses: found.losses.sort((a, b) => (a.cpu ?? -1) - (b.cpu ?? -1)), threads, leftOut: found.left_out };
  }

  thread(trace, number) {
    return this.traces[trace]?.threads.get(number) ?? null;
  }

  toggle(row) {
    this.isOpen.set(row.key, !row.isOpen);
  }

  /** Rebuilds the rows. Names of lanes must contain `filter`; pinned lanes come first. */
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
      if (isSeveral) this.#addHeader({ kind: 'section', key: `trace${number}`, trace: number, label: trace.label, isTrace: true });
      if (isSeveral && !this.rows.at(-1).isOpen) return;
      this.#addCpus(trace, number, fits);
      const busy = hidesIdle ? this.busy[number] : null;
      this.#addInterrupts(trace.interrupts.filter((thread) => !busy || busy.has(thread.number)), number, fits);
      this.#addDevices(trace.devices, number, fits);
      this.#addLosses(trace.losses, number, fits);
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
    this.rows.push(this.#sized(row));
    this.byLane.set(`${row.trace}:${row.lane}`, row);
  }

  // Sets the height of a row. `row.spans`: a thread or track with the number of its rows and of spans without a row.
  #sized(row) {
    const kind = row.lane[0];
    const spans = 'da'.includes(kind) ? row.spans : null;
    const depths = spans?.rows ?? 1;
    const unit = depths === 1 ? HEIGHTS[kind] : UNITS.find(([most]) => depths <= most)[1];
    const without = spans?.without_row;
    if (without) row.note = `${without.toLocaleString('en-US')} more at once`;
    return Object.assign(row, { kind, depths, unit, height: unit * Math.max(1, depths) });
  }

  #addCpus(trace, number, fits) {
    const cpus = trace.cpus.filter((cpu) => fits('cpu', `cpu ${cpu}`, `cpu${cpu}`));
    if (cpus.length === 0) return;
    if (!this.#addHeader({ kind: 'section', key: `cpus${number}`, trace: number, label: 'CPUs' })) return;
    for (const cpu of cpus) this.#addLane({ trace: number, lane: `c${cpu}`, label: `CPU ${cpu}` });
  }

  #addInterrupts(threads, trace, fits) {
    const shown = threads.filter((thread) => fits('interrupts', threadLabel(thread), `cpu ${thread.cpu}`));
    if (shown.length === 0) return;
    if (!this.#addHeader({ kind: 'section', key: `irq${trace}`, trace, label: 'Interrupts' }, shown.length <= OPEN_LANES)) return;
    for (const thread of shown) this.#addThread(thread, trace);
  }

  // A lane of requests for each device, and its instants.
  #addDevices(processes, trace, fits) {
    for (const process of processes) {
      const threads = process.threads.filter((thread) => fits('block devices', threadLabel(thread)));
      const tracks = process.async.filter((track) => fits('block devices', this.#deviceLabel(trace, track)));
      if (threads.length + tracks.length === 0) continue;
      const isOpen = this.#addHeader({ kind: 'section', key: `device${trace}`, trace, label: 'Block devices' },
        tracks.length <= OPEN_LANES);
      if (!isOpen) continue;
      for (const track of tracks) {
        this.#addLane({ trace, lane: `a${track.number}`, label: this.#deviceLabel(trace, track), spans: track, track });
        const thread = threads.find((one) => one.number === track.device);
        if (thread) this.#addThread(thread, trace, true);
      }
      for (const thread of threads) {
        if (!tracks.some((track) => track.device === thread.number)) this.#addThread(thread, trace);
      }
    }
  }

  #deviceLabel(trace, track) {
    const thread = this.thread(trace, track.device);
    return thread ? threadLabel(thread) : nameOf(track, 'requests');
  }

  #addLosses(tracks, trace, fits) {
    const shown = tracks.filter((track) => fits('losses and blind spots', lossLabel(track)));
    if (shown.length === 0) return;
    const isOpen = this.#addHeader({ kind: 'section', key: `losses${trace}`, trace, label: 'Losses and blind spots' },
      shown.length <= OPEN_LANES);
    if (!isOpen) return;
    for (const track of shown) {
      const label = lossLabel(track);
      if (track.gaps) this.#addLane({ trace, lane: `g${track.number}`, label: `${label}: not known`, track });
      if (track.losses) {
        const name = track.gaps ? 'lost, hidden' : `${label}: lost, hidden`;
        this.#addLane({ trace, lane: `l${track.number}`, label: name, track, isSub: track.gaps });
      }
    }
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
    const isOpen = this.#addHeader({ kind: 'process', key: keyOf(trace, process), trace, label, process,
      run: process.run }, opens);
    if (!isOpen) return;
    for (const thread of threads) this.#addThread(thread, trace);
    for (const track of async) {
      this.#addLane({ trace, lane: `a${track.number}`, label: nameOf(track, 'operations'), spans: track });
    }
    for (const counter of counters) this.#addLane({ trace, lane: `k${counter.number}`, label: counterLabel(counter) });
  }

  // `isBelow`: the lane above has the name of the thread.
  #addThread(thread, trace, isBelow = false) {
    const label = threadLabel(thread);
    if (thread.states) this.#addLane({ trace, lane: `s${thread.number}`, label, thread });
    if (thread.rows > 0) {
      this.#addLane({ trace, lane: `d${thread.number}`, label: thread.states ? 'spans' : label, thread,
        isSub: thread.states, spans: thread });
    }
    if (thread.instants) {
      const isSub = isBelow || thread.states || thread.rows > 0;
      this.#addLane({ trace, lane: `i${thread.number}`, label: isSub ? 'instants' : label, thread, isSub });
    }
  }

  #pin(pinned) {
    const rows = pinned.map((key) => this.byLane.get(key) ?? this.#rowOf(key)).filter((row) => row !== null);
    if (rows.length === 0) return;
    const taken = new Set(rows);
    rows.forEach((row) => {
      row.isPinned = true;
      const owner = row.thread ? threadLabel(row.thread) : row.track ? lossLabel(row.track) : '';
      if (row.isSub) row.label = `${owner} ${row.label}`;
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
    const row = { trace, lane, label: lane };
    if (kind === 'c') row.label = `CPU ${lane.slice(1)}`;
    if ('gl'.includes(kind)) row.label = `${kind === 'g' ? 'not known' : 'lost, hidden'} ${lane.slice(1)}`;
    if ('sdi'.includes(kind)) {
      if (!thread) return null;
      Object.assign(row, { thread, label: threadLabel(thread), isSub: kind !== 's', spans: thread });
    }
    return this.#sized(row);
  }

  /** Opens what hides the lane. False if there is no such lane. */
  open(trace, lane) {
    if ('sdi'.includes(lane[0])) {
      const thread = this.thread(trace, Number(lane.slice(1)));
      if (!thread) return false;
      this.isOpen.set(keyOf(trace, thread.process), true);
    } else if ('gl'.includes(lane[0])) {
      this.isOpen.set(`losses${trace}`, true);
    } else if (lane[0] !== 'c') {
      const kind = lane[0] === 'a' ? 'async' : 'counters';
      const number = Number(lane.slice(1));
      const { processes = [], devices = [] } = this.traces[trace] ?? {};
      const process = [...devices, ...processes].find((one) => one[kind].some((track) => track.number === number));
      if (!process) return false;
      this.isOpen.set(keyOf(trace, process), true);
    } else {
      this.isOpen.set(`cpus${trace}`, true);
    }
    this.isOpen.set(`trace${trace}`, true);
    return true;
  }
}
