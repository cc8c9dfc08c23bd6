// SPDX-License-Identifier: BSD-2-Clause
'use strict';

// A flame graph, on the page of `fxt flame` or on another one. The width of a frame is its weight. A
// click zooms, the field searches. The address has the state, so that a link shows the same.
(function () {
  const data = JSON.parse(document.getElementById('flame').textContent);
  const compared = data.base !== undefined;
  // Sets of captures: each frame has the rate of false discoveries at which its change is one.
  const tested = data.q !== undefined;
  const ROW = 18;
  const NAMES = 2;  // process and thread, the outermost frames of each stack
  const SHOWN_FUNCTIONS = 100;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }
  function frame(name, parent) {
    return { name, parent, depth: parent ? parent.depth + 1 : 0, base: 0, here: 0, width: 0,
      x: 0, q: null, children: new Map() };
  }

  // Calls each(names, base, here, q) for the stacks, outermost frame first.
  function forStacks(each) {
    const path = [];
    const rates = [];
    for (const [kept, added, base, here, q] of data.stacks) {
      path.length = rates.length = kept;
      path.push(...added);
      if (q) rates.push(...q);
      each(path, base, here, rates);
    }
  }
  // The tree from the outermost frames on, or from the innermost.
  function build(inverted) {
    const root = frame('all', null);
    if (tested && !inverted) root.q = data.q;
    root.deepest = 0;
    forStacks((path, base, here, rates) => {
      const order = inverted ? [...path].reverse() : path;
      const width = Math.max(base, here);  // frames of the base alone have the width of the base
      root.deepest = Math.max(root.deepest, order.length);
      let node = root;
      for (let i = -1; i < order.length; ++i) {
        if (i >= 0) {
          let child = node.children.get(order[i]);
          if (!child) {
            child = frame(data.texts[order[i]], node);
            if (tested && !inverted) child.q = rates[i];
            node.children.set(order[i], child);
          }
          node = child;
        }
        node.base += base;
        node.here += here;
        node.width += width;
      }
    });
    const places = [root];
    while (places.length) {
      const node = places.pop();
      let x = node.x;
      for (const child of node.children.values()) {
        child.x = x;
        x += child.width;
        places.push(child);
      }
    }
    return root;
  }

  const round = (value) => Number(value.toPrecision(3)).toLocaleString('en');
  function amount(value) {
    if (data.unit !== 'microseconds') return `${value.toLocaleString('en')} ${data.unit}`;
    if (value >= 1e6) return `${round(value / 1e6)} s`;
    return value >= 1e3 ? `${round(value / 1e3)} ms` : `${value} µs`;
  }
  const share = (value, all) => (all ? `${round((100 * value) / all)} %` : '');
  const signed = (value, words) => `${value > 0 ? '+' : value < 0 ? '−' : '±'}${words(Math.abs(value))}`;
  const percent = (base, here) =>
    (base ? signed(here - base, (size) => share(size, base)) : here ? 'new' : '±0 %');
  const isSure = (node) => !tested || (node.q !== null && node.q <= data.least_q);
  function describe(node) {
    if (!compared) return `${node.name}: ${amount(node.here)}, ${share(node.here, root.here)}`;
    const words = `${node.name}: ${amount(node.base)} → ${amount(node.here)} ` +
      `(${signed(node.here - node.base, amount)}, ${percent(node.base, node.here)}; ` +
      `${share(node.base, root.base) || '0 %'} → ${share(node.here, root.here) || '0 %'} of all)`;
    if (!tested || node.q === null) return words;
    return `${words}, ${isSure(node) ? `q = ${node.q.toPrecision(2)}` : 'undecided'}`;
  }

  // A hue for each name; in a comparison red for more and blue for less.
  function colour(node) {
    if (compared) {
      const most = Math.max(node.base, node.here);
      const change = most ? (node.here - node.base) / most : 0;
      if (Math.abs(change) < 0.01 || !isSure(node)) return 'var(--same)';
      return `color-mix(in oklab, var(${change > 0 ? '--hotter' : '--colder'}) ` +
        `${Math.round(25 + 75 * Math.abs(change))}%, var(--same))`;
    }
    let hash = 0;
    for (const letter of node.name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    const kernel = node.name.endsWith('_[k]');
    return `hsl(${(kernel ? 200 : 18) + (hash % 34)} var(--flame-tint))`;
  }

  let inverted = false;
  let root = build(inverted);
  let zoomed = root;
  let pattern = null;
  const field = make('input', { type: 'search', placeholder: 'search: a word or a regular expression',
    'aria-label': 'search', id: 'search' });
  const reset = make('button', { type: 'button', id: 'reset' }, 'show all');
  const invert = make('button', { type: 'button', id: 'invert', 'aria-pressed': 'false' }, 'innermost first');
  const found = make('span', { class: 'soft', id: 'found', role: 'status' });
  const line = make('p', { class: 'flame-line', id: 'line' }, describe(root));
  const area = make('div', { class: 'flame', id: 'graph', role: 'img',
    'aria-label': `flame graph of ${root.here} ${data.unit}` });
  const rows = make('div', { class: 'scroll' });
  const functions = make('details', { id: 'functions' }, make('summary', {}, 'Functions'), rows);
  const part = document.getElementById('flame-here');
  const colours = !compared ? '' : !tested ? ' Red: more than before, blue: less.' :
    ' Red: more than before, blue: less, by more than chance between captures; grey: undecided. ' +
    'Amounts are means of the captures.';
  (part || document.getElementById('page')).append(
    part ? '' : make('p', { class: 'eyebrow' }, 'fxt flame'),
    make(part ? 'h2' : 'h1', {}, part ? 'Call stacks, new against base' :
      compared ? `${data.file} against ${data.base}` : data.file),
    make('p', { class: 'lead' },
      ({ off: 'Time that threads were away from the CPU, by the stack they left with.',
        on: 'Samples of what ran, by stack.',
        wake: 'Wakeups: the stack of the sleeper, and above “--” that of its waker, innermost first.',
      })[data.of] + colours),
    make('p', { class: 'flame-tools' }, field, reset, invert, found), line, area, functions,
    make(part ? 'p' : 'footer', { class: 'soft small' },
      'A click on a frame shows it and what is above it. Esc goes back.' +
      (part ? '' : ' Ctrl-F searches.')));

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
    area.style.height = `${(root.deepest + 1) * ROW}px`;
    const all = compared ? zoomed.width : zoomed.here;
    found.textContent = pattern === null ? '' : `${share(matched, all)} in what matches`;
    reset.disabled = zoomed === root && pattern === null;
    invert.setAttribute('aria-pressed', String(inverted));
    if (functions.open) drawFunctions();
  }

  // --- the table of functions

  let sums = null;
  let sortedBy = compared ? 'change' : 'self';
  function functionSums() {
    const all = new Map();
    forStacks((path, base, here) => {
      const seen = new Set();
      for (let i = NAMES; i < path.length; ++i) {
        let sum = all.get(path[i]);
        if (!sum) {
          sum = { name: data.texts[path[i]], base: 0, here: 0, self: 0, change: 0 };
          all.set(path[i], sum);
        }
        if (i + 1 === path.length) sum.self += here;
        if (seen.has(path[i])) continue;  // recursion
        seen.add(path[i]);
        sum.base += base;
        sum.here += here;
        sum.change += here - base;
      }
    });
    return [...all.values()];
  }
  function drawFunctions() {
    sums ||= functionSums();
    const size = (one) => (sortedBy === 'name' ? 0 : Math.abs(one[sortedBy]));
    const chosen = sums.filter((one) => pattern === null || pattern.test(one.name))
      .sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
    const columns = [['name', 'function'], ...(compared ? [['base', 'base']] : []),
      ['here', compared ? 'new' : 'with callees'], ['self', compared ? 'new, itself' : 'itself'],
      ...(compared ? [['change', 'change']] : [])];
    const head = make('tr', {});
    for (const [key, title] of columns) {
      const cell = make('th', { class: `sort${key === 'name' ? '' : ' n'}${key === sortedBy ? ' sorted' : ''}`,
        'data-key': key, scope: 'col', tabindex: '0' }, title);
      const sort = () => {
        sortedBy = key;
        drawFunctions();
      };
      cell.addEventListener('click', sort);
      cell.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(); });
      head.append(cell);
    }
    const body = make('tbody', {});
    for (const one of chosen.slice(0, SHOWN_FUNCTIONS)) {
      const row = make('tr', {});
      for (const [key] of columns) {
        if (key === 'name') {
          const name = make('button', { type: 'button', class: 'open' }, one.name);
          name.addEventListener('click', () => {
            field.value = `^${one.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
            search();
            keep(false);
          });
          row.append(make('td', { class: 'name' }, name));
        } else if (key === 'change') {
          row.append(make('td', { class: 'n' }, `${signed(one.change, amount)}, ${percent(one.base, one.here)}`));
        } else {
          row.append(make('td', { class: 'n' }, `${amount(one[key])}, ` +
            `${share(one[key], key === 'base' ? root.base : root.here) || '0 %'}`));
        }
      }
      body.append(row);
    }
    const more = chosen.length - SHOWN_FUNCTIONS;
    rows.replaceChildren(make('table', { class: 'functions' }, make('thead', {}, head), body),
      more > 0 ? make('p', { class: 'soft small' }, `${more} more; the search chooses`) : '');
  }

  // --- state

  function search() {
    pattern = null;
    if (field.value) {
      try {
        pattern = new RegExp(field.value, 'i');
      } catch {
        pattern = new RegExp(field.value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
      }
    }
    draw();
  }
  function show(node, isInverted) {
    if (isInverted !== inverted) {
      inverted = isInverted;
      root = build(inverted);
      node = root;
    }
    zoomed = node;
    line.textContent = describe(zoomed);
    draw();
  }
  // A frame by the numbers of its texts from the root on.
  function pathOf(node) {
    const path = [];
    for (; node.parent; node = node.parent) {
      path.unshift([...node.parent.children].find(([, child]) => child === node)[0]);
    }
    return path.join('.');
  }
  // Puts the state into the address. `asStep`: the browser's way back undoes it.
  function keep(asStep) {
    const state = new URLSearchParams();
    if (field.value) state.set('search', field.value);
    if (zoomed !== root) state.set('frame', pathOf(zoomed));
    if (inverted) state.set('inverted', '1');
    if (functions.open) state.set('functions', '1');
    const text = state.toString();
    const address = text ? `#flame?${text}` : location.pathname + location.search;
    try {
      history[asStep ? 'pushState' : 'replaceState'](null, '', address);
    } catch {
      // Some browsers refuse it for local files.
    }
  }
  function restore() {
    if (location.hash && !location.hash.startsWith('#flame?')) return;
    const state = new URLSearchParams(location.hash.slice('#flame?'.length));
    field.value = state.get('search') || '';
    functions.open = state.has('functions');
    show(root, state.has('inverted'));
    let node = root;
    for (const number of (state.get('frame') || '').split('.')) {
      node = node.children.get(Number(number)) || node;
    }
    zoomed = node;
    line.textContent = describe(zoomed);
    search();
  }

  area.addEventListener('mouseover', (event) => {
    if (event.target.frame) line.textContent = describe(event.target.frame);
  });
  area.addEventListener('click', (event) => {
    if (!event.target.frame) return;
    show(event.target.frame, inverted);
    keep(true);
  });
  field.addEventListener('input', () => {
    search();
    keep(false);
  });
  invert.addEventListener('click', () => {
    show(root, !inverted);
    keep(true);
  });
  reset.addEventListener('click', () => {
    field.value = '';
    pattern = null;
    show(root, inverted);
    keep(true);
  });
  functions.addEventListener('toggle', () => {
    if (functions.open) drawFunctions();
    keep(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      // The search first, then the zoom.
      if (field.value) {
        field.value = '';
        search();
      } else if (zoomed !== root) {
        show(zoomed.parent, inverted);
      } else {
        return;
      }
      field.blur();
      keep(false);
      event.preventDefault();
    } else if (!part && event.key === 'f' && (event.ctrlKey || event.metaKey) &&
               document.activeElement !== field) {
      // A second Ctrl-F is the browser's own search.
      field.focus();
      field.select();
      event.preventDefault();
    }
  });
  window.addEventListener('popstate', restore);
  window.addEventListener('resize', draw);
  if (location.hash.startsWith('#flame?')) restore();
  else draw();
})();
