// SPDX-License-Identifier: BSD-2-Clause
// The theme: light or dark, from the system or chosen by the user.

const CHOICES = ['system', 'light', 'dark'];
const system = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
let onChange = () => {};

export function setTheme(choice) {
  root.dataset.choice = choice;
  root.dataset.theme = choice === 'dark' || (choice === 'system' && system.matches) ? 'dark' : 'light';
  onChange(choice, root.dataset.theme);
}

export function toggleTheme() {
  setTheme(CHOICES[(CHOICES.indexOf(root.dataset.choice) + 1) % CHOICES.length]);
}

/** Applies the theme now, and whenever it changes. `listener(choice, theme)` is called each time. */
export function startTheme(listener = () => {}) {
  onChange = listener;
  system.addEventListener('change', () => setTheme(root.dataset.choice));
  setTheme(root.dataset.choice ?? 'system');
}
