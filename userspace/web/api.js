// SPDX-License-Identifier: BSD-2-Clause
// Sends requests to the server (userspace/view/handler.h). Times are ns since the first record of the trace.
import { clean } from './text.js';

async function ask(path, parameters, options) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(query ? `${path}?${query}` : path, options);
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

async function askJson(path, parameters, options) {
  return (await ask(path, parameters, options)).json();
}

export const status = () => askJson('status', {});
export const lanes = (trace) => askJson('lanes', { trace });
export const at = (trace, lane, time, more = {}) => askJson('at', { trace, lane, time: Math.floor(time), ...more });
export const busy = (trace, from, to) => askJson('busy', { trace, from: Math.floor(from), to: Math.ceil(to) });
export const find = (trace, text, from) => askJson('find', { trace, text, from: Math.floor(from) });
export const row = (trace, tableName, koid, time) => askJson('row', { trace, table: tableName, koid, time });
export const path = (trace, koid, from, to) =>
  askJson('path', { trace, koid, from: Math.floor(from), to: Math.ceil(to) });
/** Folded stacks of a thread: "on" those of samples, "off" those of when it left its CPU, which come when it is back. */
export const stack = async (trace, of, koid, from, to) =>
  (await ask('stack', { trace, of, koid, from: Math.floor(from), to: Math.ceil(to) })).text();
export const sql = (trace, statement) => askJson('sql', { trace }, { method: 'POST', body: statement });

/** The address of a page about an interval: "report" or "flame". */
export function pageAddress(kind, trace, from, to, more = {}) {
  return `${kind}?${new URLSearchParams({ trace, from: Math.floor(from), to: Math.ceil(to), ...more })}`;
}

/** The contents of a lane: `times` has begin and end of each item, `words` its value and info (tile.h). */
class Items {
  constructor(count) {
    this.count = count;
    this.times = new Float64Array(2 * count);
    this.words = new Uint32Array(2 * count);
  }

  get bytes() {
    return 24 * this.count + 64;
  }

  /** The least and the greatest value of item `i` of a counter. */
  extremes(i) {
    this.floats ??= new Float32Array(this.words.buffer);
    return [this.floats[2 * i], this.floats[2 * i + 1]];
  }
}

/** The items of each of `ids` in [from, to). */
export async function tile(trace, from, to, pixel, ids) {
  const answer = await ask('tile', { trace, from, to, pixel, lanes: ids.join(',') });
  const data = new DataView(await answer.arrayBuffer());
  const found = [];
  let offset = 0;
  for (let lane = 0; lane < ids.length; lane += 1) {
    const items = new Items(data.getUint32(offset, true));
    offset += 4;
    for (let i = 0; i < 2 * items.count; i += 2, offset += 24) {
      items.times[i] = data.getFloat64(offset, true);
      items.times[i + 1] = data.getFloat64(offset + 8, true);
      items.words[i] = data.getUint32(offset + 16, true);
      items.words[i + 1] = data.getUint32(offset + 20, true);
    }
    found.push(items);
  }
  return found;
}

/** Arguments as the server keeps them: the members of a JSON object. */
export function parseArguments(members) {
  if (!members) return [];
  try {
    return Object.entries(JSON.parse(`{${members}}`));
  } catch {
    return [['arguments', members]];
  }
}

/** Rows of a table in CSV (RFC 4180); an incomplete last row is left out. */
export function parseCsv(text) {
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 2) {
        const end = text.indexOf('"', at);
        if (end < 0) return rows;
        cell += text.slice(at, end);
        at = end;
        if (text[at + 1] !== '"') break;
        cell += '"';
      }
      at += 1;
    } else {
      const length = text.slice(at).search(/[,\n]/);
      if (length < 0) return rows;
      cell = text.slice(at, at + length).replace(/\r$/, '');
      at += length;
    }
    row.push(cell);
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows;
}

const MOST_LABELS = 300;

/** Texts by number. Those that are not known yet are asked for, and `onNew` is called when they come. */
export class Labels {
  constructor(trace, onNew) {
    this.trace = trace;
    this.onNew = onNew;
    this.texts = new Map([[0, '']]);
    this.wanted = new Set();
    this.isAsking = false;
  }

  get(id) {
    const text = this.texts.get(id);
    if (text !== undefined) return text;
    this.wanted.add(id);
    if (!this.isAsking) {
      this.isAsking = true;
      setTimeout(() => this.#ask(), 10);
    }
    return null;
  }

  async #ask() {
    const ids = [...this.wanted].slice(0, MOST_LABELS);
    try {
      const texts = await askJson('labels', { trace: this.trace, ids: ids.join(',') });
      // Limits the labels in memory. Those of earlier views are requested again.
      if (this.texts.size > 50000) this.texts = new Map([[0, '']]);
      ids.forEach((id, i) => {
        this.texts.set(id, clean(texts[i]));
        this.wanted.delete(id);
      });
      this.onNew();
    } catch {
      ids.forEach((id) => this.wanted.delete(id));
    }
    this.isAsking = false;
    if (this.wanted.size > 0) {
      this.isAsking = true;
      this.#ask();
    }
  }
}
