// SPDX-License-Identifier: BSD-2-Clause
// Links from a page into `fxt view`. Pages inside it (in the parent window) go there; others show the command.
import { button, element } from './dom.js';

const isInView = window.parent !== window;

// Quotes a word for a shell.
function quoted(text) {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `place`: parts of an address as Viewport.readFragment() takes them. Null if `file` cannot be opened again. */
export function placeLink(file, place) {
  const address = new URLSearchParams(place).toString();
  if (isInView) {
    return button('show in the timeline', () => window.parent.postMessage({ fxtPlace: address }, '*'), { class: 'link place' });
  }
  if (!file || file === '-') return null;
  return element('code', { class: 'command place', title: 'A click selects the command' },
    `fxt view --at ${quoted(address)} ${quoted(file.startsWith('-') ? `./${file}` : file)}`);
}
