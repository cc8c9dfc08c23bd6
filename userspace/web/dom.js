// SPDX-License-Identifier: BSD-2-Clause
// Creates elements of pages. Text of a trace becomes text nodes, never markup.
import { clean } from './text.js';

function add(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => add(parent, one));
  else parent.append(child instanceof Node ? child : clean(child));
}

function make(node, attributes, children) {
  for (const [key, one] of Object.entries(attributes ?? {})) {
    if (key === 'tip') tip(node, one);
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), one);
    else if (typeof one === 'number') node.setAttribute(key, +one.toFixed(2));
    else if (one !== null && one !== undefined && one !== false) node.setAttribute(key, one === true ? '' : clean(one));
  }
  add(node, children);
  return node;
}

/** element('td', { class: 'n', onclick: ... }, children...); children are nodes, text, or lists of them. */
export function element(tag, attributes, ...children) {
  return make(document.createElement(tag), attributes, children);
}
export function svg(tag, attributes, ...children) {
  return make(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

export function button(text, onclick, attributes = {}) {
  return element('button', { type: 'button', onclick, ...attributes }, text);
}

/** Rows of names and values; values may be elements. Rows without a value are left out. */
export function definitions(rows) {
  return element('dl', {}, rows.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

/** Columns are titles of the cells of rows, or {title, cell(row), number, sort(row), class}; a click sorts by those
 *  with `sort`, the greatest first. At most `limit` rows are shown. In a narrow window rows become cards. */
export function table(name, columns, rows, { rowClass = () => null, limit = Infinity } = {}) {
  const all = columns.map((column, i) => (typeof column === 'string' ? { title: column, cell: (row) => row[i] } : column));
  const classOf = (column, more) => [column.number ? 'n' : '', more].join(' ').trim() || null;
  const body = element('tbody');
  const fill = (ordered) => body.replaceChildren(...ordered.slice(0, limit).map((row) => element('tr', { class: rowClass(row) },
    all.map((column) => element('td', { class: classOf(column, column.class ?? ''), 'data-label': column.title }, column.cell(row))))));
  const heads = all.map((column) => element('th', { class: classOf(column, column.sort ? 'sort' : ''), scope: 'col',
    onclick: (event) => {
      if (!column.sort) return;
      heads.forEach((head) => head.classList.toggle('sorted', head === event.currentTarget));
      fill([...rows].sort((a, b) => column.sort(b) - column.sort(a)));
    } }, column.title));
  fill(rows);
  return element('div', { class: 'scroll' },
    element('table', { class: `stack ${name}` }, element('thead', {}, element('tr', {}, heads)), body));
}

/** A search field that filters the rows of a table. */
export function filter(of, words) {
  return element('input', { class: 'filter', type: 'search', placeholder: words, 'aria-label': words, oninput: (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const row of of.querySelectorAll('tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  } });
}

/** Pairs of a colour's name and words. */
export function legend(entries) {
  return element('div', { class: 'legend' }, entries.map(([colour, words]) => {
    const entry = element('span', {}, words);
    entry.style.setProperty('--c', `var(--${colour})`);
    return entry;
  }));
}

const tipBox = element('div', { class: 'tip', hidden: true, role: 'status' });

/** Shows text beside the pointer, or at a tap. `text` may be a function of the event; its lines stay lines. */
export function tip(node, text) {
  const show = (event) => {
    const words = typeof text === 'function' ? text(event) : text;
    tipBox.replaceChildren(words.split('\n').map(clean).join('\n'));
    if (!tipBox.isConnected) document.body.append(tipBox);
    tipBox.hidden = false;
    const box = tipBox.getBoundingClientRect();
    const isAbove = event.clientY + 16 + box.height > innerHeight;
    tipBox.style.left = `${Math.max(8, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
    tipBox.style.top = `${isAbove ? event.clientY - box.height - 10 : event.clientY + 16}px`;
  };
  node.addEventListener('pointermove', show);
  node.addEventListener('pointerdown', show);
  node.addEventListener('pointerleave', () => {
    tipBox.hidden = true;
  });
}
