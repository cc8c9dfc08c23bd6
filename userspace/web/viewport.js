// SPDX-License-Identifier: BSD-2-Clause
// The state of the view: time range, selection, marks; undo; conversion to and from the URL.

const MIN_LENGTH = 200; // ns
const MAX_UNDO = 100;

export class Viewport {
  constructor(onChange) {
    this.onChange = onChange;
    this.begin = 0; // first time of the traces
    this.end = 1;
    this.from = 0;
    this.to = 1;
    this.scroll = 0;
    this.selection = null; // {trace, lane, time, depth}
    this.range = null; // {from, to}: the selected interval
    this.marks = []; // {from, to}
    this.pinned = []; // "trace:lane"
    this.filter = '';
    this.hidesIdle = false;
    this.past = [];
    this.future = [];
    this.committed = null;
    this.timer = 0;
  }

  get length() {
    return this.to - this.from;
  }

  setBounds(begin, end) {
    this.begin = begin;
    this.end = Math.max(end, begin + MIN_LENGTH);
  }

  /** Shows [from, to), as far as the traces reach. */
  show(from, to) {
    const whole = this.end - this.begin;
    const length = Math.min(Math.max(to - from, MIN_LENGTH), whole * 1.1);
    const middle = (from + to) / 2;
    const least = this.begin - whole * 0.05;
    const most = this.end + whole * 0.05;
    this.from = Math.min(Math.max(middle - length / 2, least), Math.max(least, most - length));
    this.to = this.from + length;
    this.changed();
  }

  showAll() {
    this.show(this.begin, this.end);
  }

  zoom(factor, at) {
    const part = (at - this.from) / this.length;
    const length = Math.min(Math.max(this.length * factor, MIN_LENGTH), (this.end - this.begin) * 1.1);
    this.show(at - length * part, at - length * part + length);
  }

  pan(ns) {
    this.show(this.from + ns, this.to + ns);
  }

  /** Moves so that [from, to) is in sight, and zooms out if it must. */
  reveal(from, to) {
    if (from >= this.from && to <= this.to) return;
    const length = Math.max(this.length, (to - from) * 1.4);
    const middle = (from + to) / 2;
    this.show(middle - length / 2, middle + length / 2);
  }

  changed() {
    this.onChange();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.commit(), 400);
  }

  #snapshot() {
    const { from, to, scroll, selection, range, marks, pinned, filter, hidesIdle } = this;
    return { from, to, scroll, selection, range, marks: [...marks], pinned: [...pinned], filter, hidesIdle };
  }

  /** Undo returns to the current view. */
  commit() {
    clearTimeout(this.timer);
    const now = this.#snapshot();
    const text = JSON.stringify(now);
    if (this.committed !== null && text === JSON.stringify(this.committed)) return;
    if (this.committed !== null) {
      this.past.push(this.committed);
      if (this.past.length > MAX_UNDO) this.past.shift();
      this.future = [];
    }
    this.committed = now;
    this.onCommit?.();
  }

  /** False if there is nothing to undo (or, `forward`, to do again). */
  undo(forward = false) {
    this.commit();
    const [source, target] = forward ? [this.future, this.past] : [this.past, this.future];
    if (source.length === 0) return false;
    target.push(this.committed);
    this.committed = source.pop();
    Object.assign(this, structuredClone(this.committed));
    this.onChange();
    this.onCommit?.();
    return true;
  }

  /** The place as the part of an address behind its #. */
  toFragment() {
    const round = Math.round;
    const parts = new URLSearchParams({ from: round(this.from), to: round(this.to) });
    if (this.scroll > 0) parts.set('y', round(this.scroll));
    if (this.selection) {
      const { trace, lane, time, depth } = this.selection;
      parts.set('sel', `${trace}.${lane}.${round(time)}.${depth ?? 0}`);
    }
    const text = ({ from, to }) => `${round(from)},${round(to)}`;
    if (this.range) parts.set('range', text(this.range));
    if (this.marks.length > 0) parts.set('marks', this.marks.map(text).join('_'));
    if (this.pinned.length > 0) parts.set('pin', this.pinned.join(','));
    if (this.filter) parts.set('filter', this.filter);
    if (this.hidesIdle) parts.set('idle', 'hide');
    return parts.toString();
  }

  /** The opposite. `clock` is the first time of the trace, as digits. Ignores unknown parts.
   *  Returns {thread, time} if the address names a thread (koid or tid) and a time, null otherwise. */
  readFragment(fragment, clock) {
    // The last part of a name is used.
    const parts = new Map(new URLSearchParams(fragment));
    const numbers = (text) => (text ?? '').split(',').map(Number);
    const interval = (text) => {
      const [from, to] = numbers(text);
      return Number.isFinite(from) && Number.isFinite(to) && from <= to ? { from, to } : null;
    };
    let time = parts.has('at') ? Number(parts.get('at')) : NaN;
    if (/^\d+$/.test(parts.get('clock') ?? '')) time = Number(BigInt(parts.get('clock')) - BigInt(clock));
    if (Number.isFinite(time)) {
      const length = Math.min((this.end - this.begin) / 5, 50e6);
      if (!parts.has('thread')) this.marks = [{ from: time, to: time }];
      this.show(time - length / 2, time + length / 2);
    }
    const shown = interval(`${parts.get('from')},${parts.get('to')}`);
    if (shown && !Number.isFinite(time)) this.show(shown.from, shown.to);
    this.scroll = Math.max(0, Number(parts.get('y')) || 0);
    const [trace, lane, at, depth] = (parts.get('sel') ?? '').split('.');
    this.selection = !/^[csdiakgl]\d+$/.test(lane ?? '') ? null
      : { trace: Number(trace) ? 1 : 0, lane, time: Number(at) || 0, depth: Number(depth) || 0 };
    this.range = interval(parts.get('range'));
    if (parts.has('marks')) this.marks = parts.get('marks').split('_').map(interval).filter((one) => one !== null);
    this.pinned = (parts.get('pin') ?? '').split(',').filter((one) => /^[01]:[csdiakgl]\d+$/.test(one));
    this.filter = parts.get('filter') ?? '';
    this.hidesIdle = parts.get('idle') === 'hide';
    return /^\d+$/.test(parts.get('thread') ?? '') && Number.isFinite(time) ? { thread: parts.get('thread'), time } : null;
  }
}
