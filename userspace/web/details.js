// SPDX-License-Identifier: BSD-2-Clause
// Shows the details of the selection: a run, a wait, a span, instants, or a value.
import * as api from './api.js';
import { button, definitions, element } from './dom.js';
import { lossLabel, threadLabel } from './lanes.js';
import { BLOCKED, IDLE, RUN, WAKEUP, wordsOf } from './states.js';
import { duration, formatCount, formatTime } from './text.js';

// Columns of `fxt query` that the index does not have, with the labels of the page.
const COLUMNS = [
  ['priority', 'priority'], ['end_state', 'left the CPU in state'], ['state', 'left its CPU in state'],
  ['waits_for', 'waits for'], ['reason', 'reason'], ['via', 'woken by packets'], ['syscall', 'system call'],
  ['object_kind', 'kind of object'], ['object', 'object'], ['peer', 'thread at the other end'],
  ['throttled_by', 'throttled by cgroup'], ['began', 'begin'], ['ended', 'end'],
];
const LENGTHS = [
  ['asked', 'asked for at most'], ['rt_throttled', 'of it real-time throttled'],
  ['affinity', 'of it bound to other CPUs'], ['weight', 'of it behind a greater weight'],
];

// Meanings of the marks of losses.
const MISSING = {
  'lost events': 'The buffers of the recorder were full: these events are not in the trace.',
  'hidden switch': 'The kernel did not report a switch of this CPU: the thread before it is unknown.',
  'buffer full': 'The buffer of a provider was full.',
};

// Reasons for an unknown state of a CPU.
const UNKNOWN_SINCE = {
  'lost events': 'Events were lost: the state of the CPU is unknown up to its next switch in the trace.',
  'hidden switch': 'The kernel did not report a switch: the state of the CPU is unknown since its last one.',
  'left out': 'The recording leaves out threads, processes or CPUs: some switches of this CPU are missing.',
};

// The width of an instant for clicks, pixels.
export const INSTANT_PIXELS = 6;

export class Details {
  /** `app` has viewport, lanes, overlay, labels, goTo(), selectAt(), changed(). */
  constructor(place, app) {
    this.place = place;
    this.app = app;
    this.serial = 0;
  }

  clear() {
    this.serial += 1;
    this.place.replaceChildren(element('p', { class: 'soft' },
      'Click a run, a wait or a span to see all that is known of it. Drag over the time axis, or with Shift over the '
      + 'lanes, to select an interval. Press ? for the keys.'));
  }

  /** Shows what the lane has at the time. Returns its begin and end, or null if there is nothing. */
  async show({ trace, lane, time, depth }) {
    const serial = this.serial += 1;
    const more = { depth: depth ?? 0 };
    if ('il'.includes(lane[0])) more.until = Math.ceil(time + INSTANT_PIXELS * this.app.geometry.nsPerPixel);
    const found = await api.at(trace, lane, time, more);
    if (serial !== this.serial) return null;
    const { kind, ...place } = { kind: lane[0], trace, lane };
    if (kind === 'i' || kind === 'l') return this.#instants(place, found);
    if (found.begin === undefined) return null;
    if (kind === 'c' || kind === 's') await this.#state(place, found, serial);
    else if (kind === 'k') this.#value(place, found);
    else this.#span(place, found, serial);
    return { begin: found.begin, end: found.end, depth: found.depth ?? 0, found };
  }

  #put(title, ...content) {
    this.place.replaceChildren(element('h2', {}, title), ...content);
  }

  #times(found) {
    return [['begins', this.#timeLink(found.begin)], ['ends', this.#timeLink(found.end)],
      ['length', `${duration(found.end - found.begin)} (${formatCount(found.end - found.begin)} ns)`]];
  }

  #timeLink(time) {
    return button(formatTime(time), () => this.app.viewport.reveal(time, time), { class: 'link' });
  }

  // A thread, with a link to its lane at `time`.
  #threadLink(trace, thread, time) {
    const known = this.app.lanes.thread(trace, thread.number);
    const process = known?.process.name && known.process.name !== thread.name ? ` of ${known.process.name}` : '';
    return element('span', {}, threadLabel(thread), process, ' ',
      button('go there', () => this.app.goTo(trace, `${known?.states === false ? 'd' : 's'}${thread.number}`, time),
        { class: 'link go' }));
  }

  #wakerRow(trace, woken) {
    const link = woken.thread ? this.#threadLink(trace, woken.thread, woken.time - 1)
      : woken.interrupt ? 'an interrupt' : 'not known';
    return element('span', {}, link, ` at ${formatTime(woken.time)}`);
  }

  async #state({ trace, lane }, found, serial) {
    const isCpu = lane[0] === 'c';
    const number = Number(lane.slice(1));
    const thread = isCpu ? found.thread : this.app.lanes.thread(trace, number);
    if (found.shares) {
      this.#put('Many runs and waits', definitions([...this.#times(found),
        ['shown', 'their shares only: the memory for more was used up (fxt trim makes a smaller file)']]));
      return;
    }
    const title = isCpu
      ? `CPU ${number}: ${thread ? threadLabel(thread) : wordsOf(found.state)}`
      : `${threadLabel(thread)}: ${wordsOf(found.state)}`;
    const rows = this.#times(found);
    if (thread && isCpu) rows.unshift(['thread', this.#threadLink(trace, thread, found.begin)]);
    if (found.cpu !== undefined) {
      rows.push(['on', element('span', {}, `CPU ${found.cpu} `,
        button('go there', () => this.app.goTo(trace, `c${found.cpu}`, found.begin), { class: 'link go' }))]);
    }
    if (found.object) rows.push(['in', found.object]);
    if (found.preemptor) rows.push(['its CPU went to', this.#threadLink(trace, found.preemptor, found.begin)]);
    if (found.woken) rows.push(['woken by', this.#wakerRow(trace, found.woken)]);
    if (found.runnable) rows.push(['waited for a CPU before', duration(found.runnable)]);
    if (found.cut) rows.push(['note', 'its begin or end, or what happened meanwhile, is not in the trace']);
    const list = definitions(rows);
    this.#put(title, this.#stateButtons(trace, found, isCpu ? thread : { number }), list);
    this.#arrow(trace, lane, found);
    if (found.state === IDLE || !thread) return;
    this.#addRow(trace, thread, found, list, serial);
    this.#addStack(trace, thread, found, serial);
  }

  #stateButtons(trace, found, thread) {
    const bar = element('p', { class: 'buttons' },
      button('Select its time', () => this.app.setRange(found.begin, found.end)));
    if (thread) bar.append(button('Critical path', () => this.app.showPath(trace, thread.number, found.begin, found.end)));
    return bar;
  }

  #arrow(trace, lane, found) {
    const { overlay } = this.app;
    overlay.arrows = [];
    if (!found.woken) return;
    const to = lane[0] === 'c' ? `s${found.thread.number}` : lane;
    const from = found.woken.thread ? `s${found.woken.thread.number}` : null;
    overlay.arrows.push({ trace, from, to: this.app.lanes.byLane.has(`${trace}:${to}`) ? to : lane,
      time: found.woken.time });
    this.app.changed();
  }

  // Adds the row of `fxt query`, which reads the file again.
  async #addRow(trace, thread, found, list, serial) {
    const known = this.app.lanes.thread(trace, thread.number);
    const isWait = found.state >= WAKEUP && found.state <= 7;
    if (!known || (!isWait && found.state !== RUN)) return;
    const note = element('p', { class: 'soft' }, 'reading the file for more …');
    list.after(note);
    let text;
    try {
      text = (await api.row(trace, isWait ? 'waits' : 'slices', known.koid, found.begin)).csv;
    } catch (error) {
      note.textContent = error.message;
      return;
    }
    note.remove();
    if (serial !== this.serial) return;
    const [names, cells] = api.parseCsv(text);
    if (!cells) return;
    const value = new Map(names.map((name, i) => [name, cells[i]]));
    const rows = [];
    for (const [column, words] of COLUMNS) {
      const cell = value.get(column);
      if (cell && !(column === 'began' || column === 'ended') && !(column === 'object' && found.object?.endsWith(cell))) {
        rows.push([words, cell]);
      } else if ((column === 'began' || column === 'ended') && cell !== 'seen') rows.push([words, cell]);
    }
    for (const [column, words] of LENGTHS) {
      const ns = Number(value.get(column) ?? 0);
      if (ns > 0) rows.push([words, duration(ns)]);
    }
    list.append(...definitions(rows).childNodes);
  }

  // Adds the stack. That of a wait is recorded when its thread runs again; a run has those of its samples.
  async #addStack(trace, thread, found, serial) {
    const known = this.app.lanes.thread(trace, thread.number);
    if (!known || found.state > BLOCKED) return;
    const isRun = found.state === RUN;
    let [from, to] = [found.begin, found.end];
    if (!isRun) {
      // Other states may lie between the wait and the next run.
      let next = found;
      do next = await api.at(trace, `s${thread.number}`, next.end); while (next.begin !== undefined && next.state !== RUN);
      if (next.begin === undefined) return;
      [from, to] = [next.begin, next.end];
    }
    const text = await api.stack(trace, isRun ? 'on' : 'off', known.koid, from, to);
    if (serial !== this.serial || text === '') return;
    const lines = text.trim().split('\n').map((line) => /^(.*) (\d+)$/.exec(line)).filter(Boolean);
    if (lines.length === 0) return;
    const most = lines.reduce((one, other) => (Number(other[2]) > Number(one[2]) ? other : one));
    // The first two entries are process and thread.
    const frames = most[1].split(';').slice(2).reverse();
    const more = lines.length > 1 ? `, the most frequent of ${lines.length}` : '';
    this.place.append(element('h3', {}, `${isRun ? 'Stack of its samples' : 'Stack in which it left its CPU'}${more}`),
      element('ol', { class: 'stack' }, ...frames.map((frame) => element('li', {}, frame))));
  }

  #cpuLink(trace, cpu, time) {
    return element('span', {}, `CPU ${cpu} `,
      button('go there', () => this.app.goTo(trace, `c${cpu}`, time), { class: 'link go' }));
  }

  #span({ trace, lane }, found, serial) {
    const { lanes } = this.app;
    const track = lanes.byLane.get(`${trace}:${lane}`)?.track;
    const thread = lane[0] === 'd' ? lanes.thread(trace, Number(lane.slice(1))) : null;
    const device = lane[0] === 'a' && track?.device !== undefined ? lanes.thread(trace, track.device) : null;
    const isInterrupt = thread?.process.role === 'irq';
    const rows = this.#times(found);
    let title = found.name || 'span';
    if (isInterrupt) {
      rows.unshift(['on', this.#cpuLink(trace, thread.cpu, found.begin)]);
    } else if (thread) {
      rows.unshift(['thread', this.#threadLink(trace, thread, found.begin)]);
    }
    if (lane[0] === 'g' && track) {
      rows.unshift(['on', this.#cpuLink(trace, track.cpu, found.begin)]);
      rows.push(['meaning', UNKNOWN_SINCE[found.name]]);
      title = `${lossLabel(track)}: not known, ${title}`;
    }
    if (device) {
      rows.unshift(['device', threadLabel(device)]);
      title = `${threadLabel(device)}: ${title}`;
    }
    if (found.category) rows.unshift(['category', found.category]);
    if (found.beganBefore) rows.push(['note', 'it began before the trace']);
    if (found.endedAfter) rows.push(['note', 'its end is not in the trace']);
    const list = definitions(rows);
    this.#put(title, this.#stateButtons(trace, found, thread?.states ? thread : null), list,
      ...[this.#arguments(trace, found, device)].filter(Boolean));
    this.#showFlows(trace, lane, found);
    if (isInterrupt) this.#addInterrupted(trace, thread.cpu, found, list, serial);
  }

  // Lists the flows to and from this span, and draws arrows for them.
  #showFlows(trace, lane, found) {
    const { overlay } = this.app;
    const flows = found.flows ?? [];
    overlay.arrows = [];
    const rows = [];
    for (const flow of flows) {
      const here = { lane, time: flow.time, depth: found.depth };
      for (const [words, other] of [['from', flow.from], ['to', flow.to]]) {
        if (!other) continue;
        const there = { lane: `d${other.thread.number}`, time: other.time, depth: other.span?.depth ?? 0 };
        const [from, to] = words === 'from' ? [there, here] : [here, there];
        overlay.arrows.push({ trace, from: from.lane, to: to.lane, time: from.time, toTime: to.time,
          fromDepth: from.depth, toDepth: to.depth });
        rows.push([`${words}, flow ${flow.name}`, this.#flowLink(trace, other)]);
      }
      if (!flow.from && !flow.to) rows.push(['flow', `${flow.name}: its other records are not in the trace`]);
    }
    if (rows.length > 0) {
      const more = found.flowCount > flows.length ? `, the first ${flows.length} of ${found.flowCount}` : '';
      this.place.append(element('div', {}, element('h3', {}, `Flows${more}`), definitions(rows)));
    }
    this.app.changed();
  }

  #flowLink(trace, { thread, span, time }) {
    const name = span ? `${span.name || 'span'}, ` : '';
    return element('span', {}, `${name}${threadLabel(thread)} at ${formatTime(time)} `,
      button('go there', () => this.app.goTo(trace, `d${thread.number}`, span?.begin ?? time,
        span ?? { begin: time, end: time, depth: 0 }), { class: 'link go' }));
  }

  // Adds the thread that was interrupted.
  async #addInterrupted(trace, cpu, found, list, serial) {
    const run = await api.at(trace, `c${cpu}`, found.begin);
    if (serial !== this.serial || run.state === undefined) return;
    list.append(...definitions([['interrupted',
      run.thread ? this.#threadLink(trace, run.thread, found.begin) : wordsOf(run.state)]]).childNodes);
  }

  #arguments(trace, found, device) {
    const pairs = api.parseArguments(found.args);
    if (pairs.length === 0) return null;
    return element('div', {}, element('h3', {}, 'Arguments'), definitions(pairs.map(([name, value]) => {
      const asker = device && name === 'thread' ? this.app.lanes.byKoid.get(`${trace}:${value}`) : null;
      if (asker) return ['asked by', this.#threadLink(trace, asker, found.begin)];
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    })));
  }

  #instants({ trace, lane }, { instants }) {
    if (!instants?.length) return null;
    const isLoss = lane[0] === 'l';
    const track = this.app.lanes.byLane.get(`${trace}:${lane}`)?.track;
    const thread = isLoss ? null : this.app.lanes.thread(trace, Number(lane.slice(1)));
    const parts = instants.map((one) => element('div', { class: 'instant' },
      element('h3', {}, one.name || 'instant'),
      definitions([['category', one.category], ['time', this.#timeLink(one.time)],
        ['meaning', isLoss ? MISSING[one.name] : null],
        ...api.parseArguments(one.args).map(([name, value]) => [name, String(value)])])));
    const owner = isLoss && track ? lossLabel(track) : thread ? threadLabel(thread) : 'Instants';
    this.#put(isLoss ? `${owner}: what is missing` : `${owner}: ${instants.length === 1 ? 'an instant' : 'instants'}`, ...parts);
    this.app.overlay.arrows = [];
    return { begin: instants[0].time, end: instants.at(-1).time, depth: 0, found: { instants } };
  }

  #value({ trace, lane }, found) {
    const row = this.app.lanes.byLane.get(`${trace}:${lane}`);
    this.#put(row?.label ?? 'Counter', definitions([['value', String(found.value)], ['since', this.#timeLink(found.begin)],
      ['until', this.#timeLink(found.end)]]));
    this.app.overlay.arrows = [];
  }
}

