// SPDX-License-Identifier: BSD-3-Clause
//
// Stages as data: a stage's picture, text (a node a line) and further data stand in its <figure>.

const stages = new Map();
function stageOf(id) {
  if (!stages.has(id)) stages.set(id, readStage(document.getElementById(id)));
  return stages.get(id);
}
function readStage(figure) {
  const stage = {id: figure.id, figure, label: figure.dataset.name, size: figure.dataset.size, before: figure.dataset.before,
    text: one('details.text pre', figure)?.textContent ?? '', nodes: [], data: null};
  if (figure.dataset.same) {
    const other = stageOf(figure.dataset.same);
    Object.assign(stage, {same: other, nodes: other.nodes, data: other.data, text: other.text, svg: other.svg});
    return stage;
  }
  stage.svg = one('.pic svg', figure);
  const script = one('script', figure);
  if (!script) return stage;
  const data = stage.data = JSON.parse(script.textContent), lines = stage.text.split('\n'), inputs = data.in.split(',');
  for (let n = 0; n < data.k.length; ++n) {
    const [name, middle, target] = data.p.slice(3 * n, 3 * n + 3), line = lines[n];
    stage.nodes.push({n, name: line.slice(0, name), target: line.slice(name + middle, name + middle + target),
      meta: line.slice(name, name + middle).replace(/^: /, '').replace(/ = $/, ''), args: line.slice(name + middle + target),
      line, kind: +data.k[n], source: data.src[data.s[n]], item: data.i ? data.i[n] : -1, note: data.n[n], users: []});
  }
  stage.nodes.forEach(node => {
    for (const input of inputs[node.n].split(' ').filter(Boolean)) stage.nodes[+input]?.users.push(node.n);
  });
  return stage;
}
// Of stages that are word for word the same, the one that the picture stands with.
function pictureOwner(stage) {
  return stage.same ? pictureOwner(stage.same) : stage;
}
const kindNames = ['input, output', 'parameter, buffer', 'linear', 'compute', 'view', 'writes in place',
  'functional form of a write', 'makes a tensor', 'higher-order, module'];
const changeWords = {s: '= same', q: '≈ only names or the spelling of the target differ', c: '~ changed', m: '↕ in another order',
  a: '+ only in B', r: '− only in A'};
const signs = {s: '=', q: '≈', c: '~', m: '↕', a: '+', r: '−'};

// Of a pair, by node: letters of change, and what belongs together.
function pairOf(stage) {
  if (!stage.before) return null;
  const a = stageOf(stage.before);
  const equal = stage.figure.dataset.equal !== undefined;
  if (equal || !stage.data || !a.nodes.length || stage.data.b === undefined) {
    const own = equal ? [...stage.nodes.keys()] : [], same = 's'.repeat(own.length);
    return {a, equal, changesA: same, changesB: same, of: own, links: [], rows: []};
  }
  const d = stage.data, links = [], rows = [];
  for (let i = 0; i + 1 < d.l.length; i += 2) links.push([d.l[i], d.l[i + 1]]);
  for (let i = 0; i + 1 < d.w.length; i += 2) rows.push([d.w[i], d.w[i + 1]]);
  return {a, changesA: d.a, changesB: d.b, of: d.of, links, rows};
}
