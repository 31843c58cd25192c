// SPDX-License-Identifier: BSD-3-Clause
//
// Search over breaks, recompiles, stages, nodes and source lines.

const searchBox = document.getElementById('search'), hits = document.getElementById('hits');
const mostHits = 60;

// Everything that can be found; made at the first search, since it reads every stage.
let found = null;
function searchEntries() {
  if (found) return found;
  found = [];
  const add = (kind, text, where, go) => found.push({kind, text, where, low: (text + ' ' + where).toLowerCase(), name: text.toLowerCase(), go});
  for (const link of all('body > nav a')) add('section', link.firstChild.textContent, '', () => { location.hash = ''; location.hash = link.hash; });
  for (const row of all('tr.opener')) {
    const cells = all('td', row).map(cell => cell.textContent.trim());
    add(row.id[0] === 'b' ? 'break' : 'recompile', cells[1], cells.slice(2).filter(Boolean).join('  '), () => {
      reveal(row);
      one('button.open', row).focus({preventScroll: true});
    });
  }
  for (const figure of all('figure.stage')) {
    const of = one('summary b', figure.closest('details.compile')).textContent;
    add('stage', figure.dataset.name, of + ', ' + figure.dataset.size, () => openStage(figure.id));
    if (figure.dataset.same) continue;
    const stage = stageOf(figure.id);
    for (const node of stage.nodes)
      add('node', node.name, `${of} ${stage.label}  ${node.target}${node.args}`, () => openStage(figure.id, node.n));
  }
  for (const line of all('pre .l')) {
    const file = one('code', line.closest('details').firstElementChild).textContent;
    add('source', line.lastChild.textContent.trim(), file + ':' + one('i', line).textContent.trim(), () => {
      location.hash = '';
      location.hash = line.id;
    });
  }
  return found;
}

// Every word has to be there; what begins with the whole comes first, then what holds it in its name.
function searchFor(text) {
  const whole = text.trim().toLowerCase(), words = whole.split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const rank = entry => entry.name === whole ? 0 : entry.name.startsWith(whole) ? 1 : entry.name.includes(whole) ? 2 : 3;
  return searchEntries().filter(entry => words.every(word => entry.low.includes(word)))
    .map((entry, i) => ({entry, i, rank: rank(entry)})).sort((a, b) => a.rank - b.rank || a.i - b.i).map(hit => hit.entry);
}

let shownHits = [], chosenHit = 0;
function showHits() {
  const matching = searchFor(searchBox.value);
  shownHits = matching.slice(0, mostHits);
  chosenHit = 0;
  hits.replaceChildren();
  hits.hidden = !searchBox.value.trim();
  searchBox.setAttribute('aria-expanded', String(!hits.hidden));
  shownHits.forEach((hit, i) => {
    const row = element('div', {role: 'option', id: 'hit' + i, 'aria-selected': String(i === 0)});
    row.append(element('b', {}, hit.kind), element('span', {}, hit.text.slice(0, 120)), element('span', {class: 'where'}, hit.where.slice(0, 160)));
    row.addEventListener('mousedown', event => { event.preventDefault(); goToHit(i); });
    hits.append(row);
  });
  if (!hits.hidden && matching.length !== shownHits.length)
    hits.append(element('div', {class: 'none'}, `and ${matching.length - shownHits.length} more: another word narrows it`));
  if (!hits.hidden && !matching.length) hits.append(element('div', {class: 'none'}, `Nothing here holds "${searchBox.value.trim()}".`));
  const box = searchBox.getBoundingClientRect();
  hits.style.top = box.bottom + 'px';
  hits.style.left = box.left + 'px';
  searchBox.toggleAttribute('aria-activedescendant', false);
  if (shownHits.length) searchBox.setAttribute('aria-activedescendant', 'hit0');
}
function closeHits() {
  hits.hidden = true;
  searchBox.setAttribute('aria-expanded', 'false');
  searchBox.removeAttribute('aria-activedescendant');
}
function goToHit(i) {
  const hit = shownHits[i];
  if (!hit) return;
  closeHits();
  searchBox.blur();
  hit.go();
}
searchBox.addEventListener('input', showHits);
searchBox.addEventListener('focus', () => { if (searchBox.value.trim()) showHits(); });
searchBox.addEventListener('blur', closeHits);
searchBox.addEventListener('keydown', event => {
  if (event.key === 'Escape') { searchBox.value = ''; closeHits(); searchBox.blur(); }
  if (event.key === 'Enter') {
    event.preventDefault(); // else it presses what gets the focus
    goToHit(chosenHit);
  }
  const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!by || !shownHits.length) return;
  event.preventDefault();
  hits.children[chosenHit].setAttribute('aria-selected', 'false');
  chosenHit = (chosenHit + by + shownHits.length) % shownHits.length;
  hits.children[chosenHit].setAttribute('aria-selected', 'true');
  hits.children[chosenHit].scrollIntoView({block: 'nearest'});
  searchBox.setAttribute('aria-activedescendant', 'hit' + chosenHit);
});
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input')) return;
  event.preventDefault();
  searchBox.focus();
  searchBox.select();
});

followFragment();
