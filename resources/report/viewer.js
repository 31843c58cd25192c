// SPDX-License-Identifier: BSD-3-Clause
//
// Two pictures side by side, what changed between them, and what is known of a node. The panes show copies of the pictures.

class Viewer {
  constructor(box) {
    this.box = box;
    this.steps = all('.strip a', box);
    this.panes = element('div', {class: 'panes'});
    this.panes.innerHTML = '<div class="pane paneA"><header></header><div class="view" tabindex="0"></div></div><div class="gutter"></div>' +
      '<div class="pane paneB"><header></header><div class="view" tabindex="0"></div></div><div class="side"><header></header><div></div></div>';
    this.views = {A: one('.paneA .view', this.panes), B: one('.paneB .view', this.panes)};
    this.side = one('.side > div', this.panes);
    one('.strip', box).after(this.panes, element('p', {class: 'hint'},
      'Drag or arrow keys pan; + − 0 and, once a picture is clicked, the wheel zoom; Tab goes from node to node, Enter opens one.'));
    box.classList.add('made');
    for (const name of ['A', 'B']) this.listen(name);
    // At first the first stage that changed something, else one that only spells it otherwise.
    const delta = step => one('.delta', step.parentElement).textContent;
    const first = this.steps.find(step => /[+−~]\d/.test(delta(step))) ?? this.steps.find(step => delta(step) && delta(step) !== '=');
    this.show((first ?? this.steps[0]).dataset.stage);
  }

  show(id) {
    this.b = stageOf(id);
    this.pair = pairOf(this.b);
    this.a = this.pair ? this.pair.a : null;
    for (const step of this.steps) {
      const item = step.parentElement, isB = step.dataset.stage === id, isA = this.a && step.dataset.stage === this.a.id;
      item.className = isB ? 'b' : isA ? 'a' : '';
      if (isB) step.setAttribute('aria-current', 'step'); else step.removeAttribute('aria-current');
      if (isB) this.scrollStrip(item);
    }
    for (const figure of all('.stage', this.box)) figure.classList.toggle('shown', figure.id === id);
    this.panes.classList.toggle('alone', !this.a);
    this.fill('A', this.a, this.pair?.changesA);
    this.fill('B', this.b, this.pair?.changesB);
    const changed = one('figcaption .dim', this.b.figure).textContent;
    one('.side > header', this.panes).textContent = this.a ? 'What changed' + (changed.split(', ')[2] ? ': ' + changed.split(', ')[2] : '') : 'Stage';
    this.listChanges();
    this.fit();
  }

  // A long strip scrolls so far that the stage, and the one before, are in it.
  scrollStrip(item) {
    const strip = item.parentElement, left = item.offsetLeft - strip.offsetLeft;
    if (left - item.offsetWidth < strip.scrollLeft) strip.scrollLeft = left - item.offsetWidth;
    else if (left + item.offsetWidth > strip.scrollLeft + strip.clientWidth) strip.scrollLeft = left + 2 * item.offsetWidth - strip.clientWidth;
  }

  fill(name, stage, changes) {
    const view = this.views[name], header = view.previousElementSibling;
    view.replaceChildren();
    header.replaceChildren();
    if (!stage) return;
    header.append(element('i', {}, name), element('b', {}, stage.label), ' ' + stage.size);
    view.setAttribute('aria-label', name + ', ' + stage.label);
    if (stage.svg) {
      const svg = stage.svg.cloneNode(true);
      view.append(svg);
      this.mark(svg, stage, changes);
    } else if (stage.text) {
      view.append(element('pre', {}, stage.text));
    } else {
      view.append(element('p', {}, one('.left', stage.figure)?.textContent ?? ''));
    }
  }

  // A copy has the colours of the pair that is shown, which may be another one than its own.
  mark(svg, stage, changes = '') {
    const ofItem = new Map();
    for (const node of stage.nodes) {
      if (!ofItem.has(node.item)) ofItem.set(node.item, new Set());
      ofItem.get(node.item).add(changes[node.n] ?? 's');
    }
    for (const [item, letters] of ofItem)
      ofItem.set(item, letters.size === 1 ? [...letters][0] : ['c', 'a', 'r', 'm', 'q'].find(letter => letters.has(letter)).replace(/[ar]/, 'c'));
    this.colour(svg, group => ofItem.get(+group.dataset.i) ?? 's');
    const first = one('.n', svg);
    if (first) first.setAttribute('tabindex', '0');
  }

  colour(svg, letterOf) {
    for (const group of all('.n', svg)) {
      const letter = letterOf(group);
      group.classList.remove('ca', 'cr', 'cc', 'cm');
      one('.sign', group)?.remove();
      if (!'cram'.includes(letter)) continue;
      group.classList.add('c' + letter);
      const width = one('rect.c', group).getAttribute('width'), sign = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      sign.setAttribute('class', 'sign');
      sign.innerHTML = `<circle r="7" cx="${+width}"/><text x="${+width}" y="4">${signs[letter]}</text>`;
      group.append(sign);
    }
  }

  fit() {
    const pictures = Object.values(this.views).map(view => one('svg', view)).filter(Boolean);
    if (!pictures.length) return;
    for (const svg of pictures) {
      const {x, y, width, height} = svg.viewBox.baseVal;
      svg.original ??= {x, y, width, height};
    }
    const wide = Math.max(...pictures.map(svg => svg.original.width)), high = Math.max(...pictures.map(svg => svg.original.height));
    const room = Math.max(200, this.views.B.clientWidth);
    const scale = Math.min(1.15, Math.max(0.42, room / wide));
    const least = one('pre', this.views.B) ? 460 : 260; // output code
    const height = Math.round(Math.min(innerHeight * 0.72, Math.max(least, high * scale)));
    for (const view of Object.values(this.views)) view.style.height = height + 'px';
    one('.side', this.panes).style.height = innerWidth > 1180 ? height + 29 + 'px' : '';
    this.scale = Math.min(scale, Math.max(0.42, height / high > 0.8 ? height / high : scale));
    this.at = {x: 0, y: 0};
    this.place();
  }

  place() {
    for (const view of Object.values(this.views)) {
      const svg = one('svg', view);
      if (!svg) continue;
      const width = view.clientWidth / this.scale, height = view.clientHeight / this.scale;
      const x = svg.original.x + Math.min(0, (svg.original.width - width) / 2) + this.at.x;
      svg.setAttribute('viewBox', `${x} ${svg.original.y + this.at.y} ${width} ${height}`);
    }
    this.drawGutter();
  }

  zoom(factor, x = 0.5, y = 0.3) {
    const before = this.scale, view = this.views.B;
    this.scale = Math.min(3, Math.max(0.05, this.scale * factor));
    this.at.x += view.clientWidth * x * (1 / before - 1 / this.scale);
    this.at.y += view.clientHeight * y * (1 / before - 1 / this.scale);
    this.place();
  }
  pan(x, y) {
    this.at.x += x / this.scale;
    this.at.y += y / this.scale;
    this.place();
  }

  listen(name) {
    const view = this.views[name];
    let from = null, moved = false;
    view.addEventListener('pointerdown', event => {
      if (event.button || !one('svg', view)) return;
      from = {x: event.clientX, y: event.clientY};
      moved = false;
    });
    view.addEventListener('pointermove', event => {
      if (!from) return;
      if (!moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 4) return;
      if (!moved) view.setPointerCapture(event.pointerId);
      moved = true;
      this.pan(from.x - event.clientX, from.y - event.clientY);
      from = {x: event.clientX, y: event.clientY};
    });
    addEventListener('pointerup', () => { from = null; });
    view.addEventListener('wheel', event => {
      if (!one('svg', view) || !(event.ctrlKey || view.contains(document.activeElement))) return;
      event.preventDefault();
      const box = view.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, {passive: false});
    view.addEventListener('click', event => {
      const group = event.target.closest('.n');
      if (!moved && group) this.chooseGroup(name, group);
    });
    view.addEventListener('keydown', event => this.key(event, name));
  }

  key(event, name) {
    const group = event.target.closest('.n'), step = 60;
    const moves = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step]};
    if (event.ctrlKey || event.metaKey || event.altKey || !one('svg', this.views[name])) return;
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === '+' || event.key === '=') this.zoom(1.25);
    else if (event.key === '-') this.zoom(0.8);
    else if (event.key === '0') this.fit();
    else if (group && (event.key === 'Enter' || event.key === ' ')) this.chooseGroup(name, group);
    else if (group && event.key === 'Tab') {
      const groups = all('.n', this.views[name]), next = groups[groups.indexOf(group) + (event.shiftKey ? -1 : 1)];
      if (!next) return;
      next.focus({preventScroll: true});
      this.bring(name, next);
    } else return;
    event.preventDefault();
  }

  // So far that a card is in view.
  bring(name, group) {
    const view = this.views[name].getBoundingClientRect(), card = group.getBoundingClientRect();
    const over = (low, high, from, to) => low < from ? low - from - 20 : high > to ? high - to + 20 : 0;
    this.pan(over(card.left, card.right, view.left, view.right), over(card.top, card.bottom, view.top, view.bottom));
  }

  // A card of the whole graph, or of the inside of a block, which numbers its items by itself.
  chooseGroup(name, group) {
    const stage = name === 'A' ? this.a : this.b, node = stage.nodes[+group.dataset.n];
    if (group.dataset.n === undefined) return this.isInside(name) ? undefined : this.choose(name, +group.dataset.i);
    this.choose(name, +group.dataset.i, node);
  }
  isInside(name) { return !!one('.n[data-n]', this.views[name]); }

  choose(name, item, node = null) {
    const stage = name === 'A' ? this.a : this.b;
    for (const group of all('.n.on, .n.rel, .e path.on', this.panes)) group.classList.remove('on', 'rel');
    const group = node && this.isInside(name) ? one(`.n[data-n="${node.n}"]`, this.views[name]) : one(`.n[data-i="${item}"]`, this.views[name]);
    if (group) {
      group.classList.add('on');
      group.focus({preventScroll: true});
      this.bring(name, group);
    }
    for (const path of all('.e path', this.views[name]))
      if (group && path.dataset.e.split(' ').includes(group.dataset.i)) path.classList.add('on');
    const nodes = node ? [node] : stage.nodes.filter(other => other.item === item);
    const other = name === 'A' ? 'B' : 'A', inside = this.isInside(other);
    for (const of of nodes.length > 400 ? [] : nodes)
      for (const related of this.relatives(name, of.n))
        one(inside ? `.n[data-n="${related.n}"]` : `.n[data-i="${related.item}"]`, this.views[other])?.classList.add('rel');
    this.tell(name, stage, nodes, group);
  }

  relatives(name, n) {
    if (!this.pair) return [];
    const other = name === 'A' ? this.b : this.a, found = new Set();
    if (name === 'B' && this.pair.of[n] >= 0) found.add(this.pair.of[n]);
    if (name === 'A') this.pair.of.forEach((a, b) => { if (a === n) found.add(b); });
    for (const [a, b] of this.pair.links) {
      if (name === 'A' && a === n) found.add(b);
      if (name === 'B' && b === n) found.add(a);
    }
    return [...found].map(index => other.nodes[index]).filter(Boolean);
  }

  // What is known of a node, or the nodes of a block.
  tell(name, stage, nodes, group) {
    const box = element('div', {class: 'node', tabindex: '-1'}), close = element('button', {type: 'button', 'aria-label': 'Close'}, '✕');
    close.addEventListener('click', () => { this.listChanges(); group?.focus({preventScroll: true}); });
    const title = element('h3', {});
    const isBlock = nodes.length !== 1;
    title.append(element('span', {}, isBlock ? one('title', group)?.textContent ?? '' : nodes[0].name), close);
    box.append(title);
    if (isBlock) {
      const inside = group && one(`details.inside[data-of="${group.dataset.i}"]`, pictureOwner(stage).figure);
      if (inside) {
        const look = element('button', {type: 'button'}, 'Picture of its inside');
        look.addEventListener('click', () => this.openInside(name, stage, inside));
        box.append(look, element('br'));
      }
      for (const node of nodes) box.append(this.nodeButton(name, node, node.line), element('br'));
    } else {
      box.append(this.facts(name, stage, nodes[0]));
    }
    this.side.replaceChildren(box);
    this.side.scrollTop = 0;
  }

  // The pane shows what a block holds, until it is told to go back.
  openInside(name, stage, inside) {
    const view = this.views[name], svg = one('svg', inside).cloneNode(true), changes = name === 'A' ? this.pair?.changesA : this.pair?.changesB;
    const back = element('button', {type: 'button'}, '← whole graph'), header = view.previousElementSibling;
    back.addEventListener('click', () => this.show(this.b.id));
    view.replaceChildren(svg);
    header.replaceChildren(element('i', {}, name), back, ' ', element('b', {}, one('summary', inside).textContent));
    this.colour(svg, group => group.dataset.n === undefined ? 's' : changes?.[+group.dataset.n] ?? 's');
    one('.n', svg)?.setAttribute('tabindex', '0');
    this.at = {x: 0, y: 0};
    this.fit();
    view.focus({preventScroll: true});
  }

  nodeButton(name, node, text = node.name) {
    const button = element('button', {type: 'button', class: 'link'}, text);
    button.addEventListener('click', () => this.choose(name, node.item, node));
    return button;
  }

  facts(name, stage, node) {
    const list = element('dl'), add = (what, value) => {
      if (!value || value.length === 0) return;
      const row = element('div'), cell = element('dd');
      row.append(element('dt', {}, what), cell);
      cell.append(...(Array.isArray(value) ? value : [element('code', {}, value)]));
      list.append(row);
    };
    const tensor = node.meta.match(/^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?(.*)$/);
    const letter = (name === 'A' ? this.pair?.changesA : this.pair?.changesB)?.[node.n];
    add('kind', [kindNames[node.kind]]);
    add('target', node.target);
    add('args', node.args.trim());
    if (tensor) {
      add('dtype', tensor[1]);
      add('shape', '[' + tensor[2] + ']');
      if (tensor[3] !== undefined) add('stride', '[' + tensor[3] + '] elements');
      add('device', tensor[4]);
    } else {
      add('value', node.meta);
    }
    if (node.source) {
      const [file, line, where, code, id] = node.source, words = file.split('/').pop() + (line ? ':' + line : '');
      const link = id ? element('a', {class: 'at', href: '#' + id, title: file}, words) : element('span', {class: 'at', title: file}, words);
      add('source', [link, where ? ' in ' + where : '']);
      add('code', code);
    }
    const users = node.users.map(n => stage.nodes[n]);
    add('users', users.slice(0, 12).flatMap((user, i) => [i ? ', ' : '', this.nodeButton(name, user)]).concat(
      users.length > 12 ? [` and ${users.length - 12} more`] : users.length ? [] : ['none']));
    const related = this.relatives(name, node.n);
    add(name === 'A' ? 'became' : 'from', related.flatMap((other, i) => [i ? ', ' : '', this.nodeButton(name === 'A' ? 'B' : 'A', other)]));
    add('note', node.note);
    if (letter) add('change', [changeWords[letter]]);
    return list;
  }

  listChanges(most = 300) {
    const list = element('div', {class: 'changes'});
    for (const group of all('.n.on, .n.rel, .e path.on', this.panes)) group.classList.remove('on', 'rel');
    const rows = this.pair ? this.pair.rows : [];
    for (const [a, b] of rows.slice(0, most)) {
      const letter = b >= 0 ? this.pair.changesB[b] : this.pair.changesA[a], row = element('button', {type: 'button', class: letter});
      const words = node => node.target === 'return' ? node.target + node.args : `${node.name} = ${node.target}${node.args}`;
      const lines = [a >= 0 && letter !== 'm' ? words(this.a.nodes[a]) : '', b >= 0 ? words(this.b.nodes[b]) : ''].filter(Boolean);
      const text = element('span', {}, lines.join('\n'));
      text.style.whiteSpace = 'pre-wrap';
      row.append(element('b', {}, signs[letter]), text);
      row.addEventListener('click', () => b >= 0 ? this.choose('B', this.b.nodes[b].item, this.b.nodes[b])
                                                 : this.choose('A', this.a.nodes[a].item, this.a.nodes[a]));
      list.append(row);
    }
    if (rows.length > most) {
      const more = element('button', {type: 'button'}, `and ${rows.length - most} more`);
      more.addEventListener('click', () => this.listChanges(rows.length));
      list.append(more);
    }
    if (!rows.length)
      list.append(element('p', {class: 'dim'}, !this.a ? 'The first stage; a click on a node says what is known of it.'
        : this.pair.equal ? 'Nothing: word for word the stage before.'
        : this.b.data ? 'Nothing that is listed: only names, or the spelling of targets.' : 'Output code has no nodes to compare.'));
    this.side.replaceChildren(list);
  }

  // Bands from a card of A that changed to what it became in B; blocks hold too much for one.
  drawGutter() {
    const gutter = one('.gutter', this.panes), height = this.views.B.clientHeight, width = gutter.clientWidth;
    gutter.replaceChildren();
    if (!this.a || !width || !this.pair.rows.length || this.isInside('A') || this.isInside('B')) return;
    const top = this.views.B.getBoundingClientRect().top, rect = (name, item) => {
      const box = one(`.n[data-i="${item}"]:not(.blk) rect.c`, this.views[name])?.getBoundingClientRect();
      return box && [box.top - top, box.bottom - top];
    };
    const became = new Map();
    for (const [a, b] of this.pair.links) {
      if (!'rc'.includes(this.pair.changesA[a]) || !'ac'.includes(this.pair.changesB[b])) continue;
      if (!became.has(a)) became.set(a, new Set());
      became.get(a).add(b);
    }
    this.pair.of.forEach((a, b) => { if (a >= 0 && became.has(a)) became.get(a).add(b); });
    let bands = '', labels = '', last = -99;
    const mid = width / 2;
    for (const [a, bs] of [...became].sort(([a], [b]) => a - b)) {
      const left = rect('A', this.a.nodes[a].item), right = [...bs].map(b => rect('B', this.b.nodes[b].item)).filter(Boolean);
      if (!left || !right.length) continue;
      const y0 = Math.min(...right.map(r => r[0])), y1 = Math.max(...right.map(r => r[1])), y = (left[0] + left[1] + y0 + y1) / 4 + 4;
      bands += `<path d="M0 ${left[0]}C${mid} ${left[0]} ${mid} ${y0} ${width} ${y0}L${width} ${y1}C${mid} ${y1} ${mid} ${left[1]} 0 ${left[1]}z"/>`;
      if (bs.size < 2 || Math.abs(y - last) < 13) continue;
      labels += `<text x="${mid}" y="${y}">1 → ${bs.size}</text>`;
      last = y;
    }
    gutter.innerHTML = `<svg viewBox="0 0 ${width} ${height}" style="height:${height}px" aria-hidden="true">${bands}${labels}</svg>`;
  }
}
