// SPDX-License-Identifier: BSD-3-Clause
//
// What moves in an HTML report: rows that open, the theme, printing, the contents. Stages and search are in files of their own,
// which stand behind this one in the same script. Nothing is loaded and nothing is sent.
'use strict';
const root = document.documentElement;
root.classList.add('js');
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

function element(name, attributes = {}, text = '') {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

function openRow(row, open) {
  const button = one('button.open', row), detail = document.getElementById(button.getAttribute('aria-controls'));
  button.setAttribute('aria-expanded', String(open));
  detail.toggleAttribute('data-open', open);
  row.toggleAttribute('data-on', open);
}

function openAll(open) {
  for (const row of all('tr.opener')) openRow(row, open);
  for (const details of all('main details')) details.open = open;
}

// What holds an element is opened, so that it can be seen.
function reveal(target) {
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === 'DETAILS') at.open = true;
    if (at.classList.contains('detail')) openRow(at.previousElementSibling, true);
  }
  if (target.classList.contains('opener')) openRow(target, true);
  target.scrollIntoView({block: target.matches('pre *') ? 'center' : 'start'});
}

function followFragment() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.matches('figure.stage')) return openStage(target.id);
  reveal(target);
  for (const line of all('.l.on')) line.classList.remove('on');
  if (target.classList.contains('l')) target.classList.add('on');
}

function setTheme(name) {
  if (name) root.dataset.theme = name; else delete root.dataset.theme;
}
function isDark() {
  return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

for (const row of all('tr.opener')) openRow(row, false);
document.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) {
    const row = event.target.closest('tr.opener');
    if (row && !event.target.closest('a')) openRow(row, !row.hasAttribute('data-on'));
    return;
  }
  if (button.classList.contains('open')) openRow(button.closest('tr'), button.getAttribute('aria-expanded') !== 'true');
  if (button.id === 'open-all') {
    const open = button.dataset.open !== 'true';
    openAll(open);
    button.dataset.open = open;
    button.textContent = open ? 'Close all' : 'Open all';
  }
  if (button.id === 'print') print();
  if (button.id === 'theme') setTheme(isDark() ? 'light' : 'dark');
});
addEventListener('hashchange', followFragment);

// Paper shows all; what was closed closes again behind it.
let closedBeforePrint = [];
addEventListener('beforeprint', () => {
  closedBeforePrint = all('main details:not([open])');
  for (const details of closedBeforePrint) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of closedBeforePrint) details.open = false;
});

// The contents follow what is read.
const entries = new Map(all('body > nav a').map(link => [link.getAttribute('href').slice(1), link]));
const watcher = new IntersectionObserver(seen => {
  for (const entry of seen) entries.get(entry.target.id)?.toggleAttribute('data-seen', entry.isIntersecting);
  const first = all('body > nav a').find(link => link.hasAttribute('data-seen'));
  for (const link of entries.values()) {
    if (link === first) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
  }
}, {rootMargin: '0px 0px -60% 0px'});
for (const id of entries.keys()) {
  const target = document.getElementById(id);
  if (target) watcher.observe(target);
}
