// SPDX-License-Identifier: BSD-2-Clause
// Times as text, and elements of the page. Names of a trace become text nodes, never markup.

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/** "12.3 ms" of a length in ns. */
export function formatLength(ns) {
  const size = Math.abs(ns);
  const [unit, name] = UNITS.find(([one]) => size >= one) ?? [1, 'ns'];
  const value = ns / unit;
  const digits = unit === 1 ? 0 : Math.abs(value) < 10 ? 3 : Math.abs(value) < 100 ? 2 : 1;
  return `${value.toFixed(digits)} ${name}`;
}

/** "1.234567890 s": a time since the first record, to the nanosecond. */
export function formatTime(ns) {
  const whole = Math.abs(Math.round(ns));
  const seconds = Math.floor(whole / 1e9);
  const rest = String(whole - seconds * 1e9).padStart(9, '0');
  return `${ns < 0 ? '-' : ''}${seconds}.${rest} s`;
}

/** A label of the time axis, with as many digits as `step` needs. */
export function formatTick(ns, step) {
  const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step))));
  return `${(ns / 1e9).toFixed(digits)} s`;
}

export function formatCount(count) {
  return Number(count).toLocaleString('en-US');
}

/** An element with properties, attributes ("data-" and "aria-") and children: elements or text. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') {
      made.setAttribute(name, value);
    } else {
      made[name] = value;
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, onclick, properties = {}) {
  return element('button', { type: 'button', onclick, ...properties }, text);
}

/** Rows of names and values; values may be elements. */
export function definitions(rows) {
  const list = element('dl');
  for (const [name, value] of rows) {
    if (value === null || value === undefined || value === '') continue;
    list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return list;
}

export function table(names, rows) {
  return element('table', {},
    element('thead', {}, element('tr', {}, ...names.map((name) => element('th', {}, name)))),
    element('tbody', {}, ...rows.map((row) =>
      element('tr', {}, ...row.map((cell) => element('td', {}, cell))))));
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
