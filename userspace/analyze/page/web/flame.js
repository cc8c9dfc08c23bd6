// SPDX-License-Identifier: BSD-2-Clause
'use strict';

// A flame graph, on the page of `fxt flame` or on another one. The width of a frame is its weight. A
// click zooms, the field searches.
(function () {
  const data = JSON.parse(document.getElementById('flame').textContent);
  const compared = data.base !== undefined;
  const ROW = 18;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }
  function frame(name, parent) {
    return { name, parent, depth: parent ? parent.depth + 1 : 0, base: 0, here: 0, width: 0,
      x: 0, children: new Map() };
  }

  const root = frame('all', null);
  let deepest = 0;
  const path = [];
  for (const [kept, added, base, here] of data.stacks) {
    path.length = kept;
    for (const number of added) {
      const above = path.length ? path[path.length - 1] : root;
      if (!above.children.has(number)) above.children.set(number, frame(data.texts[number], above));
      path.push(above.children.get(number));
    }
    deepest = Math.max(deepest, path.length);
    // Frames of the base alone have the width of the base.
    const width = Math.max(base, here);
    for (const node of [root, ...path]) {
      node.base += base;
      node.here += here;
      node.width += width;
    }
  }
  (function place(node) {
    let x = node.x;
    for (const child of node.children.values()) {
      child.x = x;
      x += child.width;
      place(child);
    }
  })(root);

  const round = (value) => Number(value.toPrecision(3)).toLocaleString('en');
  function amount(value) {
    if (data.unit !== 'microseconds') return `${value.toLocaleString('en')} ${data.unit}`;
    if (value >= 1e6) return `${round(value / 1e6)} s`;
    return value >= 1e3 ? `${round(value / 1e3)} ms` : `${value} µs`;
  }
  const share = (value, all) => (all ? `${round((100 * value) / all)} %` : '');
  function describe(node) {
    if (!compared) return `${node.name}: ${amount(node.here)}, ${share(node.here, root.here)}`;
    const change = node.here - node.base;
    const sign = change > 0 ? '+' : change < 0 ? '−' : '±';
    return `${node.name}: ${amount(node.base)} → ${amount(node.here)} ` +
      `(${sign}${amount(Math.abs(change))})`;
  }

  // A hue for each name; in a comparison red for more and blue for less.
  function colour(node) {
    if (compared) {
      const most = Math.max(node.base, node.here);
      const change = most ? (node.here - node.base) / most : 0;
      if (Math.abs(change) < 0.01) return 'var(--same)';
      return `color-mix(in oklab, var(${change > 0 ? '--hotter' : '--colder'}) ` +
        `${Math.round(25 + 75 * Math.abs(change))}%, var(--same))`;
    }
    let hash = 0;
    for (const letter of node.name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    const kernel = node.name.endsWith('_[k]');
    return `hsl(${(kernel ? 200 : 18) + (hash % 34)} var(--flame-tint))`;
  }

  let zoomed = root;
  let pattern = null;
  const field = make('input', { type: 'search', placeholder: 'search: a word or a regular expression',
    'aria-label': 'search', id: 'search' });
  const reset = make('button', { type: 'button', id: 'reset' }, 'show all');
  const found = make('span', { class: 'soft', id: 'found', role: 'status' });
  const line = make('p', { class: 'flame-line', id: 'line' }, describe(root));
  const area = make('div', { class: 'flame', id: 'graph', role: 'img',
    'aria-label': `flame graph of ${root.here} ${data.unit}` });
  const part = document.getElementById('flame-here');
  (part || document.getElementById('page')).append(
    part ? '' : make('p', { class: 'eyebrow' }, 'fxt flame'),
    make(part ? 'h2' : 'h1', {}, part ? 'Call stacks, new against base' :
      compared ? `${data.file} against ${data.base}` : data.file),
    make('p', { class: 'lead' },
      ({ off: 'Time that threads were away from the CPU, by the stack they left with.',
        on: 'Samples of what ran, by stack.',
        wake: 'Wakeups: the stack of the sleeper, and above “--” that of its waker, innermost first.',
      })[data.of] + (compared ? ' Red: more than before, blue: less.' : '')),
    make('p', { class: 'flame-tools' }, field, reset, found), line, area,
    make(part ? 'p' : 'footer', { class: 'soft small' }, 'A click on a frame shows it and what is above it.'));

  function draw() {
    const width = area.clientWidth;
    const scale = width / (zoomed.width || 1);
    const parts = document.createDocumentFragment();
    let matched = 0;
    const add = (node, inMatch) => {
      const ancestor = node.depth < zoomed.depth;
      const x = ancestor ? 0 : (node.x - zoomed.x) * scale;
      const w = ancestor ? width : node.width * scale;
      const hit = pattern !== null && node !== root && pattern.test(node.name);
      if (hit && !inMatch && !ancestor) matched += compared ? node.width : node.here;
      if (w >= 0.4) {
        const box = make('div', { class: `frame${hit ? ' hit' : ''}${ancestor ? ' under' : ''}`,
          title: describe(node) }, w > 24 ? node.name : '');
        box.style.cssText = `left:${x}px;width:${Math.max(w - 0.5, 0.4)}px;` +
          `bottom:${node.depth * ROW}px;background:${hit ? 'var(--hit)' : colour(node)}`;
        box.frame = node;
        parts.append(box);
      } else if (pattern === null) {
        return;
      }
      if (!ancestor) for (const child of node.children.values()) add(child, inMatch || hit);
    };
    for (let node = zoomed.parent; node; node = node.parent) add(node, false);
    add(zoomed, false);
    area.replaceChildren(parts);
    area.style.height = `${(deepest + 1) * ROW}px`;
    const all = compared ? zoomed.width : zoomed.here;
    found.textContent = pattern === null ? '' : `${share(matched, all)} in what matches`;
    reset.disabled = zoomed === root && pattern === null;
  }

  area.addEventListener('mouseover', (event) => {
    if (event.target.frame) line.textContent = describe(event.target.frame);
  });
  area.addEventListener('click', (event) => {
    if (!event.target.frame) return;
    zoomed = event.target.frame;
    draw();
  });
  field.addEventListener('input', () => {
    pattern = null;
    if (field.value) {
      try {
        pattern = new RegExp(field.value, 'i');
      } catch {
        pattern = new RegExp(field.value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
      }
    }
    draw();
  });
  reset.addEventListener('click', () => {
    zoomed = root;
    pattern = null;
    field.value = '';
    draw();
  });
  window.addEventListener('resize', draw);
  draw();
})();
