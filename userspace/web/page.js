// SPDX-License-Identifier: BSD-2-Clause
// The common parts of the pages of report, diff, flame and path: one file with its data and its script.
import { element } from './dom.js';
import { setTheme, startTheme, toggleTheme } from './theme.js';

/** The data that the program put into the page, or null. */
export function data(id) {
  const node = document.getElementById(id);
  return node && JSON.parse(node.textContent);
}

/** Shows the page. `command` made it. */
export function showPage(title, command, more, ...content) {
  document.title = `${title} – ${command}`;
  document.getElementById('page').append(element('div', {}, element('div', { class: 'eyebrow' }, command), content,
    element('footer', {}, `Made by ${command}${more}. This page holds all of its data. T: light or dark.`)));
  startTheme();
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 't' && !event.ctrlKey && !event.metaKey && event.target.tagName !== 'INPUT') toggleTheme();
  });
  // fxt view sends its theme.
  window.addEventListener('message', (event) => {
    if (event.source === window.parent && ['light', 'dark'].includes(event.data?.theme)) setTheme(event.data.theme);
  });
}
