// SPDX-License-Identifier: BSD-2-Clause
// The page of `fxt view`: connects its parts.
import * as api from './api.js';
import { definitions, element } from './dom.js';
import { Details, INSTANT_PIXELS } from './details.js';
import { Geometry } from './geometry.js';
import { Input } from './input.js';
import { Lanes } from './lanes.js';
import { Overlay } from './overlay.js';
import { Painter } from './paint.js';
import { Questions } from './questions.js';
import { Search } from './search.js';
import { readColours, wordsOf } from './states.js';
import { startTheme, toggleTheme } from './theme.js';
import { Tiles } from './tiles.js';
import { Viewport } from './viewport.js';

const byId = (id) => document.getElementById(id);

class App {
  constructor() {
    this.clocks = ['0', '0']; // the first time of each trace, as digits
    this.isComplete = false;
    this.isStarted = false;
    this.progress = -1;
    this.frames = 0;
    this.isDirty = false;
    this.canvas = byId('tracks');
    this.viewport = new Viewport(() => this.changed());
    this.viewport.onCommit = () => this.#onCommit();
    this.lanes = new Lanes();
    this.geometry = new Geometry(this.viewport, this.lanes);
    this.tiles = new Tiles(() => this.changed());
    this.overlay = new Overlay(this.geometry, this.lanes);
    this.painter = new Painter(this.canvas, this.geometry, this.lanes, this.tiles);
    this.details = new Details(byId('selected'), this);
    this.questions = new Questions({ interval: byId('interval'), sql: byId('sql'), dialog: byId('page') }, this);
    this.search = new Search(byId('search'), byId('count'), this);
    this.input = new Input(this.canvas, this);
    this.#bind();
    startTheme((choice, theme) => this.#onTheme(choice, theme));
    new ResizeObserver(() => this.#resize()).observe(this.canvas.parentElement);
    this.details.clear();
    this.questions.showInterval();
  }

  // --- The traces -------------------------------------------------------------------------------------------------

  /** `states` is what the server says of each trace. */
  async update(states) {
    const isComplete = states.every((one) => one.complete);
    const progress = states.reduce((sum, one) => sum + one.progress, 0);
    if (this.isComplete || (progress === this.progress && !isComplete)) return;
    // The saved index that was shown did not match the file. Its labels have other numbers.
    if (progress < this.progress) this.painter.labels = [];
    this.progress = progress;
    byId('progress').textContent = isComplete ? '' : `reading: ${Math.floor(progress / states.length / 10)} %`;
    byId('file').textContent = states.map((one) => one.file).join(' and ');
    document.title = `${states[0].file}: fxt view`;
    const notes = states.flatMap((one) => one.notes.map((note) => (states.length > 1 ? `${one.file}: ${note}` : note)));
    byId('notes').textContent = notes.join('. ');
    byId('notes').hidden = notes.length === 0;
    this.clocks = states.map((one) => one.clock);
    const isWhole = this.viewport.from <= this.viewport.begin && this.viewport.to >= this.viewport.end;
    this.viewport.setBounds(Math.min(...states.map((one) => one.begin)), Math.max(...states.map((one) => one.end)));
    const found = await Promise.all(states.map((_, trace) => api.lanes(trace)));
    found.forEach((one, trace) => {
      this.lanes.setTrace(trace, states[trace].file, one);
      this.painter.labels[trace] ??= new api.Labels(trace, () => this.changed());
    });
    this.tiles.outdate();
    if (!this.isStarted) this.#start(states);
    else if (isWhole) this.viewport.showAll();
    // Only now: a commit before would replace the URL, which #complete() reads.
    this.isComplete = isComplete;
    if (isComplete) this.#complete();
    this.layOut();
  }

  #start(states) {
    this.isStarted = true;
    this.questions.offerTraces(states.map((one) => one.file));
    this.viewport.showAll();
  }

  // Reads the URL again, because its place may not have been read before.
  #complete() {
    this.readAddress();
    this.viewport.commit();
  }

  readAddress() {
    return this.showPlace(location.hash.slice(1));
  }

  /** Shows what an address says behind its #; its times and threads are those of `trace`. */
  async showPlace(fragment, trace = 0) {
    const wanted = this.viewport.readFragment(fragment, this.clocks[trace]);
    this.#restored();
    // Lane numbers change with each opening, so links from other pages name the thread.
    const number = wanted && (this.lanes.byKoid.get(`${trace}:${wanted.thread}`)?.number ?? this.lanes.byTid.get(`${trace}:${wanted.thread}`));
    if (number === undefined || wanted === null) return;
    await this.goTo(trace, `s${number}`, wanted.time);
    this.fit();
  }

  #restored() {
    byId('filter').value = this.viewport.filter;
    const { selection } = this.viewport;
    if (selection) this.lanes.open(selection.trace, selection.lane);
    this.layOut();
    if (selection) this.selectAt(selection, true);
    else this.clearSelection(true);
    this.questions.showInterval();
    if (this.viewport.hidesIdle) this.#readBusy();
  }

  layOut() {
    byId('idle').setAttribute('aria-pressed', String(this.viewport.hidesIdle));
    this.lanes.layOut(this.viewport);
    this.viewport.scroll = Math.min(this.viewport.scroll, this.geometry.maxScroll);
    this.changed();
  }

  // --- Drawing ----------------------------------------------------------------------------------------------------

  changed() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now) {
    this.isDirty = false;
    const goesOn = this.input.frame(now);
    this.frames += 1;
    if (this.isStarted) this.painter.draw(this.overlay);
    if (goesOn) this.changed();
    else this.input.last = performance.now();
  }

  #resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    this.geometry.resize(box.width, box.height);
    this.changed();
  }

  #onTheme(choice, theme) {
    byId('theme').textContent = { system: 'Theme', light: 'Light', dark: 'Dark' }[choice];
    const colours = readColours();
    Object.assign(this.painter, { colours, theme });
    this.overlay.colours = colours;
    this.#legend(colours);
    this.changed();
  }

  #legend(colours) {
    const swatch = (colour) => {
      const sample = element('span', { class: 'swatch' });
      sample.style.background = colour;
      return sample;
    };
    const sleeps = { lock: 'a lock', timer: 'a timer', net: 'a socket or event', file: 'a call on a file', child: 'a child' };
    byId('colours').replaceChildren(definitions([
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((state) => [swatch(colours.states[state]), wordsOf(state)]),
      ...Object.entries(sleeps).map(([name, words]) => [swatch(colours[`sleep-${name}`]), `asleep for ${words}`])]));
  }

  // --- Selection --------------------------------------------------------------------------------------------------

  click(row, time, depth) {
    this.selectAt({ trace: row.trace, lane: row.lane, time: this.#instantAt(row, time), depth });
  }

  #instantAt(row, time) {
    return 'il'.includes(row.kind) ? time - (this.geometry.nsPerPixel * INSTANT_PIXELS) / 2 : time;
  }

  async selectAt(place, isRestored = false) {
    const selection = { ...place, time: Math.floor(place.time) };
    const { tab } = this;
    let found = null;
    try {
      found = await this.details.show(selection);
    } catch (error) {
      byId('selected').replaceChildren(element('p', { class: 'error' }, error.message));
    }
    if (!found) {
      if (!isRestored) this.clearSelection();
      return null;
    }
    this.viewport.selection = { ...selection, depth: found.depth };
    this.overlay.selected = { trace: selection.trace, lane: selection.lane, begin: found.begin, end: found.end,
      depth: found.depth };
    this.painter.selectedLane = `${selection.trace}:${selection.lane}`;
    // The user may have chosen another tab while the details were loaded.
    if (!isRestored && this.tab === tab) this.showTab('details');
    this.viewport.changed();
    return found;
  }

  selectRow(row) {
    this.painter.selectedLane = `${row.trace}:${row.lane}`;
    this.changed();
  }

  clearSelection(isRestored = false) {
    this.viewport.selection = null;
    this.overlay.selected = null;
    this.overlay.arrows = [];
    this.painter.selectedLane = null;
    this.details.clear();
    if (isRestored) this.changed();
    else this.viewport.changed();
  }

  /** Shows the lane, and selects what it has at `time` if that is not null. */
  async goTo(trace, lane, time, hit = null) {
    if (!this.lanes.open(trace, lane)) return;
    this.lanes.layOut(this.viewport);
    if (!this.lanes.byLane.has(`${trace}:${lane}`)) {
      // The filter hides the lane.
      this.viewport.filter = '';
      this.viewport.hidesIdle = false;
      byId('filter').value = '';
    }
    this.layOut();
    const row = this.lanes.byLane.get(`${trace}:${lane}`);
    if (!row) return;
    this.geometry.scrollTo(row);
    this.painter.selectedLane = `${trace}:${lane}`;
    if (time !== null) {
      this.viewport.reveal(hit?.begin ?? time, hit?.end ?? time);
      await this.selectAt({ trace, lane, time, depth: hit?.depth ?? 0 });
    }
    this.viewport.changed();
  }

  /** Selects what comes before (-1) or after (1) the selection on its lane. */
  async step(direction) {
    const { selected } = this.overlay;
    if (!selected) return;
    const { trace, lane, depth } = selected;
    const time = direction > 0 ? selected.end : selected.begin - 1;
    const found = await this.selectAt({ trace, lane, time, depth }, true);
    if (found) this.viewport.reveal(found.begin, found.end);
  }

  setRange(from, to, isDone = true) {
    this.viewport.range = from === null ? null : { from, to };
    this.viewport.changed();
    if (isDone) this.showRange();
  }

  showRange() {
    if (this.viewport.range) this.showTab('interval');
    this.questions.showInterval();
  }

  showPath(trace, number, from, to) {
    this.showTab('details');
    return this.questions.showPath(trace, number, from, to, byId('path'));
  }

  // --- Commands ---------------------------------------------------------------------------------------------------

  fit() {
    const { viewport, overlay } = this;
    if (overlay.selected) {
      const { begin, end } = overlay.selected;
      const margin = Math.max((end - begin) * 0.1, 50);
      viewport.show(begin - margin, end + margin);
    } else if (viewport.range) {
      viewport.show(viewport.range.from, viewport.range.to);
    } else {
      viewport.showAll();
    }
  }

  mark() {
    const { viewport, overlay } = this;
    const { pointer } = overlay;
    let mark = viewport.range;
    if (overlay.selected) mark = { from: overlay.selected.begin, to: overlay.selected.end };
    if (!mark && pointer !== null) mark = { from: this.geometry.time(pointer), to: this.geometry.time(pointer) };
    if (!mark) return;
    const rounded = { from: Math.round(mark.from), to: Math.round(mark.to) };
    const at = viewport.marks.findIndex((one) => one.from === rounded.from && one.to === rounded.to);
    if (at >= 0) viewport.marks.splice(at, 1);
    else viewport.marks.push(rounded);
    viewport.changed();
  }

  pinSelected() {
    const key = this.painter.selectedLane;
    if (!key) return;
    const { pinned } = this.viewport;
    const at = pinned.indexOf(key);
    if (at >= 0) pinned.splice(at, 1);
    else pinned.push(key);
    this.layOut();
    this.viewport.changed();
  }

  toggle(row) {
    this.lanes.toggle(row);
    this.layOut();
  }

  toggleIdle() {
    this.viewport.hidesIdle = !this.viewport.hidesIdle;
    if (this.viewport.hidesIdle) this.#readBusy();
    else this.layOut();
    this.viewport.changed();
  }

  async #readBusy() {
    const { from, to } = this.viewport;
    for (let trace = 0; trace < this.lanes.traces.length; trace += 1) {
      const busy = await api.busy(trace, from, to);
      this.lanes.busy[trace] = new Set(busy.map(([number]) => number));
    }
    this.layOut();
  }

  undo(forward = false) {
    if (this.viewport.undo(forward)) this.#restored();
  }

  scrollBy(pixels) {
    this.scrollTo(this.viewport.scroll + pixels);
  }

  scrollTo(y) {
    this.viewport.scroll = Math.min(Math.max(0, y), this.geometry.maxScroll);
    this.viewport.changed();
  }

  showTab(name) {
    this.tab = name;
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      const isIt = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', String(isIt));
      byId(tab.getAttribute('aria-controls')).hidden = !isIt;
    }
  }

  focusSearch() {
    byId('search').focus();
    byId('search').select();
  }

  focusTracks() {
    this.canvas.focus();
  }

  showHelp() {
    byId('keys').showModal();
  }

  async copyLink() {
    this.viewport.commit();
    try {
      await navigator.clipboard.writeText(location.href);
      byId('progress').textContent = 'the address is copied';
    } catch {
      byId('progress').textContent = 'the address of this place is in the address bar';
    }
    setTimeout(() => {
      if (this.isComplete) byId('progress').textContent = '';
    }, 2500);
  }

  #onCommit() {
    if (!this.isComplete) return;
    history.replaceState(null, '', `#${this.viewport.toFragment()}`);
    if (this.viewport.hidesIdle) this.#readBusy();
  }

  #bind() {
    byId('previous').addEventListener('click', () => this.search.go(-1));
    byId('next').addEventListener('click', () => this.search.go(1));
    byId('filter').addEventListener('input', (event) => {
      this.viewport.filter = event.target.value;
      this.viewport.scroll = 0;
      this.layOut();
      this.viewport.changed();
    });
    byId('idle').addEventListener('click', () => this.toggleIdle());
    byId('pin').addEventListener('click', () => this.pinSelected());
    byId('undo').addEventListener('click', () => this.undo());
    byId('link').addEventListener('click', () => this.copyLink());
    byId('theme').addEventListener('click', toggleTheme);
    byId('help').addEventListener('click', () => this.showHelp());
    byId('keys').querySelector('button').addEventListener('click', () => byId('keys').close());
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      tab.addEventListener('click', () => this.showTab(tab.id.slice(4)));
    }
    window.addEventListener('hashchange', () => this.readAddress());
    const divider = byId('divider');
    divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', (event) => {
      if (!divider.hasPointerCapture(event.pointerId)) return;
      const height = Math.min(window.innerHeight * 0.75, Math.max(40, window.innerHeight - event.clientY));
      byId('panel').style.height = `${height}px`;
    });
  }
}

const app = new App();
// For tests and debugging.
window.fxtView = app;

// The server ends when this connection is closed.
const live = new EventSource('live');
let isUpdating = false;
live.onmessage = async (event) => {
  if (isUpdating) return;
  isUpdating = true;
  try {
    await app.update(JSON.parse(event.data));
  } catch (error) {
    byId('progress').textContent = error.message;
  }
  isUpdating = false;
};
live.onerror = () => {
  byId('progress').textContent = 'fxt view has ended';
};
live.onopen = () => {
  if (app.isComplete) byId('progress').textContent = '';
};
