// SPDX-License-Identifier: BSD-2-Clause
// Makes elements and SVG. Text from the data becomes text nodes only.

function add(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child))
    child.forEach((one) => add(parent, one));
  else
    parent.append(child instanceof Node ? child : document.createTextNode(clean(child)));
}

// el("td", {class: "n", title: ...}, children...); children are nodes or text.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, one] of Object.entries(attributes || {})) {
    if (key.startsWith("on"))
      node.addEventListener(key.slice(2), one);
    else if (one !== null && one !== undefined && one !== false)
      node.setAttribute(key, one === true ? "" : clean(one));
  }
  add(node, children);
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, one] of Object.entries(attributes || {})) {
    if (key === "tip")
      tip(node, one);
    else
      node.setAttribute(key, typeof one === "number" ? +one.toFixed(2) : clean(one));
  }
  add(node, children);
  return node;
}

// The tip beside the pointer, or at a tap.
const tipBox = el("div", {class: "tip", hidden: true, role: "status"});
function tip(node, text) {
  const show = (event) => {
    tipBox.textContent = clean(text).replaceAll("\\u000a", "\n");
    tipBox.hidden = false;
    const box = tipBox.getBoundingClientRect();
    const left = Math.min(event.clientX + 12, innerWidth - box.width - 8);
    const above = event.clientY + 16 + box.height > innerHeight;
    tipBox.style.left = Math.max(8, left) + "px";
    tipBox.style.top = (above ? event.clientY - box.height - 10 : event.clientY + 16) + "px";
  };
  node.addEventListener("pointermove", show);
  node.addEventListener("pointerdown", show);
  node.addEventListener("pointerleave", () => {
    tipBox.hidden = true;
  });
}

// A plot in the available width. It is drawn when it becomes visible (closed details have no width),
// and again when the width changes. `draw(width)` returns [height, parts].
const watcher = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const width = Math.floor(entry.contentRect.width);
    const node = entry.target;
    if (width < 40 || node.drawnWidth === width) continue;
    node.drawnWidth = width;
    const [height, parts] = node.draw(width);
    // The SVG is out of the layout: otherwise a table would grow with every drawing.
    node.style.height = height + "px";
    node.replaceChildren(svg("svg", {width, height, role: "img", "aria-label": node.label}, parts));
  }
});
function plot(kind, label, draw) {
  const node = el("div", {class: "plot " + kind});
  node.label = label;
  node.draw = draw;
  watcher.observe(node);
  return node;
}

// A picture that fxt drew (analyze/draw), as wide as there is room. `shown` is an instance with
// {width, height, shapes}; a shape is [kind, x, y, ...], with a tip as its last part.
function picture(shown, label) {
  const parts = shown.shapes.map(([kind, x, y, ...rest]) => {
    const fill = (color) => `fill: var(--${color})`;
    if (kind === "rect") {
      const [width, height, color, tipText] = rest;
      return svg("rect", {x, y, width, height, style: fill(color), ...(tipText && {tip: tipText})});
    }
    if (kind === "line") {
      const [dx, dy, color, style] = rest;
      const dashes = style === "dashed" ? "; stroke-dasharray: 3 2" : "";
      return svg("line", {
        x1: x,
        y1: y,
        x2: x + dx,
        y2: y + dy,
        style: `stroke: var(--${color})${dashes}`,
      });
    }
    if (kind === "text") {
      const [size, words, color, style, tipText] = rest;
      const anchor = style === "centred" ? "; text-anchor: middle" : "";
      return svg(
          "text",
          {x, y, style: `font-size: ${size}px; ${fill(color)}${anchor}`, ...(tipText && {tip: tipText})},
          words);
    }
    const [height, color] = rest;
    return svg("path", {d: `M${x} ${y} l-3 ${height} l6 0 z`, style: fill(color)});
  });
  return el(
      "div", {class: "plot strip"},
      svg("svg",
          {
            viewBox: `0 0 ${shown.width} ${shown.height}`,
            width: "100%",
            role: "img",
            "aria-label": label
          },
          parts));
}

function line(x1, y1, x2, y2, name) {
  return svg("line", {x1, y1, x2, y2, class: name});
}
function text(x, y, name, words) {
  return svg("text", {x, y, class: name}, words);
}
// The start of `words` that fits, at an estimated 6 pixels per character; nothing below 3.
function fitted(words, width, size = 6) {
  const most = Math.floor(width / size);
  const all = [...clean(words)];
  if (all.length <= most) return all.join("");
  return most < 4 ? "" : all.slice(0, most - 1).join("") + "…";
}

// The maximum of any number of values. Math.max(...values) has a limit.
function greatest(values, least) {
  return values.reduce((most, one) => (one > most ? one : most), least);
}

// --- scales: functions of a value with `ticks`

function linearScale(least, most, from, to) {
  const span = most - least || 1;
  const scale = (value) => from + ((value - least) / span) * (to - from);
  const rough = span / Math.max(2, Math.abs(to - from) / 80);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  scale.ticks = [];
  for (let n = Math.ceil(least / step - 1e-9); n * step <= most + step * 1e-9; ++n)
    scale.ticks.push(n * step);
  return scale;
}

function logScale(least, most, from, to, apart = 52) {
  const low = Math.log10(least);
  const span = Math.log10(most) - low || 1;
  const scale = (value) => from + ((Math.log10(Math.max(value, least)) - low) / span) * (to - from);
  const room = Math.abs(to - from) / span;
  const every = Math.max(1, Math.ceil(apart / room));
  scale.ticks = [];
  for (let power = Math.ceil(low - 1e-9); power <= low + span + 1e-9; ++power) {
    if (((power % every) + every) % every === 0) scale.ticks.push(10 ** power);
  }
  if (scale.ticks.length < 2) {
    scale.ticks = [];
    for (let power = Math.floor(low); power <= low + span; ++power) {
      for (const n of room > 400 ? [1, 1.5, 2, 3, 5, 7] : [1, 2, 5]) {
        const tick = n * 10 ** power;
        if (tick >= least * 0.999 && tick <= most * 1.001) scale.ticks.push(tick);
      }
    }
  }
  return scale;
}

// A table. Columns are {title, cell(row), number, sort(row), class}; a click sorts by those with
// `sort`. On a phone, rows become cards.
function table(name, columns, rows, rowClass) {
  const body = el("tbody");
  const fill = (ordered) => {
    body.replaceChildren(...ordered.map(
        (row) =>
            el("tr", {class: rowClass ? rowClass(row) : null},
               columns.map(
                   (column) =>
                       el("td", {
                         class: [column.number ? "n" : "", column.class || ""].join(" ").trim() ||
                             null,
                         "data-label": column.title,
                       },
                          column.cell(row))))));
  };
  const heads = columns.map(
      (column) =>
          el("th", {
            class: [column.number ? "n" : "", column.sort ? "sort" : ""].join(" ").trim() || null,
            scope: "col",
            onclick: () => {
              if (!column.sort) return;
              heads.forEach((head) => head.classList.remove("sorted"));
              heads[columns.indexOf(column)].classList.add("sorted");
              fill([...rows].sort((a, b) => column.sort(b) - column.sort(a)));
            },
          },
             column.title));
  fill(rows);
  return el(
      "div", {class: "scroll"},
      el("table", {class: "stack " + name}, el("thead", null, el("tr", null, heads)), body));
}

// A search field that filters the rows of a table.
function filter(of, words) {
  return el("input", {
    class: "filter",
    type: "search",
    placeholder: words,
    "aria-label": words,
    oninput: (event) => {
      const wanted = event.target.value.toLowerCase();
      for (const row of of .querySelectorAll("tbody tr")) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      }
    },
  });
}

function legend(entries) {
  return el("div", {class: "legend"}, entries.map(([color, words]) => {
    const entry = el("span", null, words);
    entry.style.setProperty("--c", `var(--${color})`);
    return entry;
  }));
}

function data(id) {
  const node = document.getElementById(id);
  return node ? JSON.parse(node.textContent) : null;
}
