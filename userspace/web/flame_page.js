// SPDX-License-Identifier: BSD-2-Clause
// The page of a flame graph.
import { element } from './dom.js';
import { showFlame } from './flame.js';
import { data, showPage } from './page.js';

const flame = data('flame');
const title = flame.base === undefined ? flame.file : `${flame.file} against ${flame.base}`;
const place = element('div');
showPage(title, 'fxt flame', '', place);
showFlame(place, flame, element('h1', {}, title), { trace: flame.file });
