// SPDX-License-Identifier: BSD-2-Clause
// Analyses of an interval: threads on the CPU, report, flame graph, critical path; and SQL statements.
import * as api from './api.js';
import { button, element, table } from './dom.js';
import { threadLabel } from './lanes.js';
import { duration, formatCount, formatTime } from './text.js';

const TOP = 12;
const MAX_PARTS = 400;

export class Questions {
  /** `interval` and `sql` are places in the panel, `dialog` shows the pages of other commands. */
  constructor({ interval, sql, dialog }, app) {
    this.interval = interval;
    this.dialog = dialog;
    this.app = app;
    this.serial = 0;
    this.#makeSql(sql);
    dialog.querySelector('button').addEventListener('click', () => dialog.close());
    const frame = dialog.querySelector('iframe');
    dialog.addEventListener('close', () => frame.removeAttribute('src'));
    frame.addEventListener('load', () => frame.contentWindow.postMessage({ theme: document.documentElement.dataset.theme }, '*'));
    // A page of the interval requests a place (place.js).
    window.addEventListener('message', ({ source, data }) => {
      if (source !== frame.contentWindow || typeof data?.fxtPlace !== 'string') return;
      dialog.close();
      app.showPlace(`${app.viewport.toFragment()}&sel=&${data.fxtPlace}`, this.trace);
    });
  }

  // --- The interval -----------------------------------------------------------------------------------------------

  async showInterval() {
    const serial = this.serial += 1;
    const { range } = this.app.viewport;
    if (!range) {
      this.interval.replaceChildren(element('p', { class: 'soft' },
        'No interval is selected. Drag over the time axis, or with Shift over the lanes; F shows it alone.'));
      return;
    }
    const { from, to } = range;
    this.interval.replaceChildren(element('h2', {}, `${duration(to - from)} from ${formatTime(from)}`),
      element('p', { class: 'buttons' }, this.#pageButtons(0, from, to),
        button('Clear', () => this.app.setRange(null), { id: 'clear-range' })));
    for (let trace = 0; trace < this.app.lanes.traces.length; trace += 1) {
      const busy = await api.busy(trace, from, to);
      if (serial !== this.serial) return;
      this.interval.append(this.#busiest(trace, busy, from, to));
    }
  }

  #pageButtons(trace, from, to) {
    const suffix = trace === 0 ? '' : `-${trace}`;
    const flames = { off: 'Flame graph: off CPU', on: 'on CPU', wake: 'wakeups' };
    return [
      button('Report of it', () => this.#openPage('Report', 'report', trace, from, to), { id: `report${suffix}` }),
      ...Object.entries(flames).map(([of, words]) => button(words,
        () => this.#openPage('Flame graph', 'flame', trace, from, to, { of }), { id: `flame-${of}${suffix}` })),
    ];
  }

  #busiest(trace, busy, from, to) {
    const { lanes } = this.app;
    const rows = busy.filter(([, run]) => run > 0).sort((a, b) => b[1] - a[1]);
    const all = rows.reduce((sum, [, run]) => sum + run, 0);
    const name = lanes.traces.length > 1 ? `${lanes.traces[trace].label}: ` : '';
    return element('div', {},
      element('h3', {}, `${name}${formatCount(rows.length)} threads ran, ${duration(all)} on CPUs`),
      trace > 0 && element('p', { class: 'buttons' }, this.#pageButtons(trace, from, to)),
      table('busiest', ['thread', 'on CPUs', 'of the interval', ''], rows.slice(0, TOP).map(([number, run]) => {
        const thread = lanes.thread(trace, number);
        return [
          button(thread ? threadLabel(thread) : String(number), () => this.app.goTo(trace, `s${number}`, null), { class: 'link' }),
          duration(run), `${((run / (to - from)) * 100).toFixed(1)} %`,
          button('critical path', () => this.app.showPath(trace, number, from, to), { class: 'link' }),
        ];
      })));
  }

  #openPage(title, kind, trace, from, to, more = {}) {
    this.trace = trace;
    const frame = this.dialog.querySelector('iframe');
    this.dialog.querySelector('h2').textContent = `${title}: ${duration(to - from)} from ${formatTime(from)}`;
    frame.src = api.pageAddress(kind, trace, from, to, more);
    this.dialog.showModal();
  }

  // --- Critical path ----------------------------------------------------------------------------------------------

  /** Draws the critical path of a thread in [from, to) on the lanes, and lists its parts. */
  async showPath(trace, number, from, to, place) {
    const { lanes, overlay } = this.app;
    const thread = lanes.thread(trace, number);
    if (!thread) return;
    place.replaceChildren(element('p', { class: 'soft' }, 'following the wakeups …'));
    let found;
    try {
      found = await api.path(trace, thread.koid, from, to);
    } catch (error) {
      place.replaceChildren(element('p', { class: 'error' }, error.message));
      return;
    }
    const request = found.requests.find((one) => one.tid === thread.tid) ?? found.requests[0];
    if (!request) {
      place.replaceChildren(element('p', { class: 'soft' }, 'The trace does not say anything about it.'));
      return;
    }
    let time = Math.floor(from);
    overlay.path = request.parts.map((part) => {
      const begin = time;
      time += part.ns;
      const other = lanes.byTid.get(`${trace}:${part.tid}`);
      return { trace, lane: other === undefined ? null : `s${other}`, from: begin, to: time, kind: part.kind, part };
    });
    place.replaceChildren(
      element('h2', {}, `Critical path of ${threadLabel(thread)}, ${duration(to - from)}`),
      element('p', { class: 'buttons' }, button('Clear', () => {
        overlay.path = [];
        place.replaceChildren();
        this.app.changed();
      })),
      this.#pathTable(trace));
    this.app.changed();
  }

  #pathTable(trace) {
    const parts = this.app.overlay.path;
    const rows = parts.slice(0, MAX_PARTS).map((one) => [
      one.part.kind, duration(one.part.ns),
      one.lane === null ? `${one.part.thread ?? ''} ${one.part.tid ?? ''}`
        : button(`${one.part.thread} ${one.part.tid}`, () => this.app.goTo(trace, one.lane, one.from), { class: 'link' }),
      [one.part.waited_for, one.part.object, one.part.stack].filter(Boolean).join(', '),
    ]);
    return element('div', {}, table('parts', ['what', 'how long', 'thread', 'for'], rows),
      parts.length > MAX_PARTS ? element('p', { class: 'soft' }, `and ${parts.length - MAX_PARTS} parts more`) : null);
  }

  // --- SQL --------------------------------------------------------------------------------------------------------

  #makeSql(place) {
    this.statement = element('textarea', { id: 'statement', rows: 3, spellcheck: false, 'aria-label': 'SQL statement' });
    this.statement.value = 'SELECT process, sum(length) / 1e6 AS ms FROM slices GROUP BY process ORDER BY ms DESC LIMIT 10';
    this.statement.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.runSql();
      }
    });
    this.asked = element('select', { id: 'asked', 'aria-label': 'Trace that the statement asks', hidden: true });
    this.result = element('div', { id: 'result' });
    place.replaceChildren(
      element('p', { class: 'soft' },
        'The tables of docs/tables.md: slices, waits, idle, wakeups, spans, instants, counters, threads, processes, … '
        + '$from and $to are the selected interval, or what is shown. At most 1,000 rows, 60 s.'),
      this.statement,
      element('p', { class: 'buttons' }, this.asked, button('Run (Ctrl-Enter)', () => this.runSql(), { id: 'run-sql' })),
      this.result);
  }

  /** Statements ask one of these; their names may be the same. */
  offerTraces(names) {
    this.asked.replaceChildren(...names.map((name, trace) => element('option', { value: trace }, `${trace + 1}: ${name}`)));
    this.asked.hidden = names.length < 2;
  }

  async runSql() {
    const { viewport } = this.app;
    const { from, to } = viewport.range ?? viewport;
    const trace = Number(this.asked.value);
    const clock = BigInt(this.app.clocks[trace]);
    const statement = this.statement.value
      .replaceAll('$from', String(clock + BigInt(Math.floor(from))))
      .replaceAll('$to', String(clock + BigInt(Math.ceil(to))));
    this.result.replaceChildren(element('p', { class: 'soft' }, 'reading the file …'));
    try {
      const answer = await api.sql(trace, statement);
      this.#showRows(trace, api.parseCsv(answer.csv), answer.cut, clock);
    } catch (error) {
      this.result.replaceChildren(element('p', { class: 'error' }, error.message));
    }
  }

  #showRows(trace, rows, isCut, clock) {
    const [names, ...cells] = rows;
    if (!names) {
      this.result.replaceChildren(element('p', { class: 'soft' }, 'no rows'));
      return;
    }
    const tid = names.indexOf('tid');
    const ts = names.indexOf('ts');
    const shown = cells.map((row) => row.map((cell, column) => {
      if (column !== ts || tid < 0 || !/^\d+$/.test(cell)) return cell;
      const number = this.app.lanes.byTid.get(`${trace}:${row[tid]}`);
      if (number === undefined) return cell;
      return button(cell, () => this.app.goTo(trace, `s${number}`, Number(BigInt(cell) - clock)), { class: 'link' });
    }));
    this.result.replaceChildren(
      element('p', { class: 'soft' }, `${formatCount(cells.length)} ${cells.length === 1 ? 'row' : 'rows'}${isCut ? ', and more that are not shown' : ''}`),
      table('rows', names, shown));
  }
}

