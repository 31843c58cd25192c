// SPDX-License-Identifier: BSD-3-Clause
//
// Compiles that open, and ways to a stage or a node of one.

const viewers = new Map();
function viewerOf(box) {
  if (!viewers.has(box) && one('.strip a', box)) viewers.set(box, new Viewer(box));
  return viewers.get(box);
}
document.addEventListener('toggle', event => {
  if (event.target.classList?.contains('compile') && event.target.open) viewerOf(one('.viewer', event.target) ?? event.target);
}, true);
document.addEventListener('click', event => {
  const step = event.target.closest('.strip a');
  if (!step) return;
  event.preventDefault();
  viewerOf(step.closest('.viewer')).show(step.dataset.stage);
});
document.addEventListener('keydown', event => {
  const step = event.target.closest?.('.strip a'), by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (!step || !by) return;
  const viewer = viewerOf(step.closest('.viewer')), next = viewer.steps[viewer.steps.indexOf(step) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
  viewer.show(next.dataset.stage);
});
addEventListener('resize', () => { for (const viewer of viewers.values()) if (viewer.box.offsetParent) viewer.fit(); });

// A stage, and a node of it, wherever it stands.
function openStage(id, n = -1) {
  const figure = document.getElementById(id), details = figure.closest('details.compile');
  details.open = true;
  const viewer = viewerOf(figure.closest('.viewer'));
  viewer.show(id);
  viewer.panes.scrollIntoView({block: 'center'});
  const node = viewer.b.nodes[n];
  if (node) viewer.choose('B', node.item, node);
}
// The fullest compile is open at first.
const fullest = all('details.compile').reduce((best, details) =>
  !best || all('.strip a', details).length > all('.strip a', best).length ? details : best, null);
if (fullest) fullest.open = true;
