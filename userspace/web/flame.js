// SPDX-License-Identifier: BSD-2-Clause
// A flame graph, on the page of `fxt flame` or on another one. The width of a frame is its weight. A click zooms, the
// field searches. The URL contains the state, so that a link shows the same.
import { button, element, table } from './dom.js';
import { placeLink } from './place.js';
import { hashOf } from './states.js';
import { clean, duration, formatCount } from './text.js';

const ROW = 18;
const NAMES = 2; // process and thread, the outermost frames of each stack
const SHOWN_FUNCTIONS = 100;
const ADDRESS = '#flame?';
const ABOUT = {
  off: 'Time that threads were away from the CPU, by the stack they left with.',
  on: 'Samples of what ran, by stack.',
  wake: 'Wakeups: the stack of the sleeper, and above “--” that of its waker, innermost first.',
};

const round = (value) => Number(value.toPrecision(3)).toLocaleString('en');
const share = (value, all) => (all ? `${round((100 * value) / all)} %` : '');
const signed = (value, words) => `${value > 0 ? '+' : value < 0 ? '−' : '±'}${words(Math.abs(value))}`;
const percent = (base, here) => (base ? signed(here - base, (size) => share(size, base)) : here ? 'new' : '±0 %');
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// Calls each(names, base, here, q) for the stacks, outermost frame first.
function forStacks(data, each) {
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
function build(data, isInverted) {
  const frame = (name, parent, q) => ({ name, parent, q, depth: parent ? parent.depth + 1 : 0, base: 0, here: 0, width: 0, x: 0,
    children: new Map() });
  const root = frame('all', null, isInverted ? null : data.q ?? null);
  forStacks(data, (path, base, here, rates) => {
    const order = isInverted ? [...path].reverse() : path;
    let node = root;
    for (let i = -1; i < order.length; i += 1) {
      if (i >= 0) {
        const child = node.children.get(order[i]) ?? frame(data.texts[order[i]], node, isInverted ? null : rates[i] ?? null);
        node.children.set(order[i], child);
        node = child;
      }
      node.base += base;
      node.here += here;
      node.width += Math.max(base, here); // frames that only the base has get its width
    }
  });
  const places = [root];
  while (places.length > 0) {
    const node = places.pop();
    let { x } = node;
    for (const child of node.children.values()) {
      child.x = x;
      x += child.width;
      places.push(child);
    }
  }
  return root;
}

/** Shows the stacks in `part` below `heading`. `trace`: where they are from, for a page of nothing else. */
export function showFlame(part, data, heading, { trace = null } = {}) {
  const isPage = trace !== null;
  const isCompared = data.base !== undefined;
  // With sets of captures, each frame has the false discovery rate at which its change is significant.
  const isTested = data.q !== undefined;
  const amount = (value) => (data.unit === 'microseconds' ? duration(value * 1e3) : `${formatCount(value)} ${data.unit}`);
  const isSure = (node) => !isTested || (node.q !== null && node.q <= data.least_q);

  function describe(node) {
    if (!isCompared) return `${node.name}: ${amount(node.here)}, ${share(node.here, root.here)}`;
    const words = `${node.name}: ${amount(node.base)} → ${amount(node.here)} `
      + `(${signed(node.here - node.base, amount)}, ${percent(node.base, node.here)}; `
      + `${share(node.base, root.base) || '0 %'} → ${share(node.here, root.here) || '0 %'} of all)`;
    if (!isTested || node.q === null) return words;
    return `${words}, ${isSure(node) ? `q = ${node.q.toPrecision(2)}` : 'undecided'}`;
  }

  // A hue per name; in a comparison red for more and blue for less.
  function colour(node) {
    if (!isCompared) return `hsl(${(node.name.endsWith('_[k]') ? 200 : 18) + (hashOf(node.name) % 34)} var(--flame-tint))`;
    const most = Math.max(node.base, node.here);
    const change = most ? (node.here - node.base) / most : 0;
    if (Math.abs(change) < 0.01 || !isSure(node)) return 'var(--same)';
    return `color-mix(in oklab, var(${change > 0 ? '--hotter' : '--colder'}) ${Math.round(25 + 75 * Math.abs(change))}%, var(--same))`;
  }

  let isInverted = false;
  let root = build(data, isInverted);
  let zoomed = root;
  let pattern = null;
  const field = element('input', { type: 'search', placeholder: 'search: a word or a regular expression', 'aria-label': 'search',
    id: 'search' });
  const reset = button('show all', () => {
    field.value = '';
    pattern = null;
    show(root, isInverted);
    keep(true);
  }, { id: 'reset' });
  const invert = button('innermost first', () => {
    show(root, !isInverted);
    keep(true);
  }, { id: 'invert', 'aria-pressed': 'false' });
  const found = element('span', { class: 'soft', id: 'found', role: 'status' });
  const line = element('p', { class: 'flame-line', id: 'line' });
  const way = element('p', { class: 'small', id: 'way' });
  const area = element('div', { class: 'flame', id: 'graph', role: 'img', 'aria-label': `flame graph of ${amount(root.here)}` });
  const rows = element('div');
  const functions = element('details', { id: 'functions' }, element('summary', {}, 'Functions'), rows);
  const colours = !isCompared ? '' : !isTested ? ' Red: more than before, blue: less.'
    : ' Red: more than before, blue: less, by more than chance between captures; grey: undecided. Amounts are means of the captures.';
  part.append(heading, element('p', { class: 'lead' }, ABOUT[data.of], colours),
    element('p', { class: 'flame-tools' }, field, reset, invert, found), line, way, area, functions,
    element('p', { class: 'soft small' },
      `A click on a frame shows it and what is above it. Esc goes back.${isPage ? ' Ctrl-F searches.' : ''}`));

  function draw() {
    const width = area.clientWidth;
    const scale = width / (zoomed.width || 1);
    const parts = document.createDocumentFragment();
    let matched = 0;
    let deepest = 0;
    const add = (node, inMatch) => {
      const isUnder = node.depth < zoomed.depth;
      const wide = isUnder ? width : node.width * scale;
      const isHit = pattern !== null && node !== root && pattern.test(node.name);
      if (isHit && !inMatch && !isUnder) matched += isCompared ? node.width : node.here;
      if (wide >= 0.4) {
        const box = element('div', { class: `frame${isHit ? ' hit' : ''}${isUnder ? ' under' : ''}`, title: describe(node) },
          wide > 24 && node.name);
        box.style.cssText = `left:${isUnder ? 0 : (node.x - zoomed.x) * scale}px;width:${Math.max(wide - 0.5, 0.4)}px;`
          + `bottom:${node.depth * ROW}px;background:${isHit ? 'var(--hit-frame)' : colour(node)}`;
        box.frame = node;
        parts.append(box);
        deepest = Math.max(deepest, node.depth);
      } else if (pattern === null) {
        return;
      }
      if (!isUnder) for (const child of node.children.values()) add(child, inMatch || isHit);
    };
    for (let node = zoomed.parent; node; node = node.parent) add(node, false);
    add(zoomed, false);
    area.replaceChildren(parts);
    area.style.height = `${(deepest + 1) * ROW}px`;
    found.textContent = pattern === null ? '' : `${share(matched, isCompared ? zoomed.width : zoomed.here)} in what matches`;
    reset.disabled = zoomed === root && pattern === null;
    invert.setAttribute('aria-pressed', String(isInverted));
    if (functions.open) drawFunctions();
  }

  // --- The table of functions --------------------------------------------------------------------------------------

  let sums = null;
  function functionSums() {
    const all = new Map();
    forStacks(data, (path, base, here) => {
      const seen = new Set();
      for (let i = NAMES; i < path.length; i += 1) {
        const sum = all.get(path[i]) ?? { name: data.texts[path[i]], base: 0, here: 0, self: 0, change: 0 };
        all.set(path[i], sum);
        if (i + 1 === path.length) sum.self += here;
        if (seen.has(path[i])) continue; // recursion
        seen.add(path[i]);
        sum.base += base;
        sum.here += here;
        sum.change += here - base;
      }
    });
    const size = (one) => (isCompared ? Math.abs(one.change) : one.self);
    return [...all.values()].sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
  }
  function drawFunctions() {
    sums ||= functionSums();
    const chosen = sums.filter((one) => pattern === null || pattern.test(one.name));
    const figure = (key, title) => ({ title, number: true, sort: (one) => one[key], cell: (one) =>
      `${amount(one[key])}, ${share(one[key], key === 'base' ? root.base : root.here) || '0 %'}` });
    const name = { title: 'function', class: 'name group', cell: (one) => button(one.name, () => {
      field.value = `^${literal(one.name)}$`;
      search();
      keep(false);
    }, { class: 'open' }) };
    const change = { title: 'change', number: true, sort: (one) => Math.abs(one.change), cell: (one) =>
      `${signed(one.change, amount)}, ${percent(one.base, one.here)}` };
    const columns = isCompared ? [name, figure('base', 'base'), figure('here', 'new'), figure('self', 'new, itself'), change]
      : [name, figure('here', 'with callees'), figure('self', 'itself')];
    const more = chosen.length - SHOWN_FUNCTIONS;
    rows.replaceChildren(table('functions', columns, chosen, { limit: SHOWN_FUNCTIONS }),
      more > 0 ? element('p', { class: 'soft small' }, `${formatCount(more)} more; the search chooses`) : '');
  }

  // --- State -------------------------------------------------------------------------------------------------------

  function search() {
    pattern = null;
    if (field.value) {
      try {
        pattern = new RegExp(field.value, 'i');
      } catch {
        pattern = new RegExp(literal(field.value), 'i');
      }
    }
    draw();
  }
  // The process and the thread of a frame are lanes of the timeline.
  function zoomTo(node) {
    zoomed = node;
    line.replaceChildren(clean(describe(zoomed)));
    let owner = zoomed;
    while (owner.depth > NAMES) owner = owner.parent;
    const hasLane = !isInverted && owner.depth > 0;
    const file = / \(\d+ captures\)$/.test(trace ?? '-') ? null : trace;
    way.replaceChildren(...[hasLane && placeLink(file, { filter: owner.name })].filter(Boolean));
  }
  function show(node, inverted) {
    const isOther = inverted !== isInverted;
    isInverted = inverted;
    if (isOther) root = build(data, isInverted);
    zoomTo(isOther ? root : node);
    draw();
  }
  // Identifies a frame by the numbers of its texts from the root on.
  function pathOf(node) {
    const path = [];
    for (; node.parent; node = node.parent) path.unshift([...node.parent.children].find(([, child]) => child === node)[0]);
    return path.join('.');
  }
  // Puts the state into the URL. `asStep`: the browser's back button undoes it.
  function keep(asStep) {
    const state = new URLSearchParams();
    if (field.value) state.set('search', field.value);
    if (zoomed !== root) state.set('frame', pathOf(zoomed));
    if (isInverted) state.set('inverted', '1');
    if (functions.open) state.set('functions', '1');
    const text = state.toString();
    try {
      history[asStep ? 'pushState' : 'replaceState'](null, '', text ? ADDRESS + text : location.pathname + location.search);
    } catch {
      // Some browsers refuse this for local files.
    }
  }
  function restore() {
    if (location.hash && !location.hash.startsWith(ADDRESS)) return;
    const state = new URLSearchParams(location.hash.slice(ADDRESS.length));
    field.value = state.get('search') || '';
    functions.open = state.has('functions');
    show(root, state.has('inverted'));
    let node = root;
    for (const text of (state.get('frame') || '').split('.')) node = node.children.get(Number(text)) || node;
    zoomTo(node);
    search();
  }

  area.addEventListener('mouseover', (event) => {
    if (event.target.frame) line.replaceChildren(clean(describe(event.target.frame)));
  });
  area.addEventListener('click', (event) => {
    if (!event.target.frame) return;
    show(event.target.frame, isInverted);
    keep(true);
  });
  field.addEventListener('input', () => {
    search();
    keep(false);
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
        show(zoomed.parent, isInverted);
      } else {
        return;
      }
      field.blur();
      keep(false);
      event.preventDefault();
    } else if (isPage && event.key === 'f' && (event.ctrlKey || event.metaKey) && document.activeElement !== field) {
      // A second Ctrl-F is the browser's own search.
      field.focus();
      field.select();
      event.preventDefault();
    }
  });
  window.addEventListener('popstate', restore);
  window.addEventListener('resize', draw);
  if (location.hash.startsWith(ADDRESS)) restore();
  else show(root, false);
}
