// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/workspace.h"

#include "core/ir/storage.h"
#include "core/session/stage_order.h"
#include "views/workspace/break_place.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/trace.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t historyLimit = 200;
constexpr std::uint64_t readAtOnceBytes = std::uint64_t(48) * 1024;
constexpr std::size_t diffAtOnceNodes = 1200;

QString message(const Error& error) {
    return QString::fromStdString(error.toString());
}

StageView readStage(const session::StagePtr& stage) {
    StageView view{stage, nullptr, {}, false};
    if (auto graph = stage->graph())
        view.graph = *graph;
    else
        view.error = message(graph.error());
    return view;
}

bool sameStages(const Place& a, const Place& b) {
    return a.capture == b.capture && a.compile == b.compile && a.stageA == b.stageA && a.stageB == b.stageB;
}

int inRange(int index, std::size_t size) {
    return index >= 0 && std::size_t(index) < size ? index : -1;
}

} // namespace

Workspace::Workspace(TaskRunner& tasks, QObject* parent)
    : QObject(parent)
    , m_tasks(tasks)
    , m_ahead([this](const DiffsAhead::Pair& pair, const DiffPtr& diff) {
        emit diffPrepared(pair.a, pair.b, diff);
    })
    , m_trace(std::make_unique<Trace>(*this, tasks))
    , m_profiles(std::make_unique<JoinedProfiles>(tasks)) {}

Workspace::~Workspace() = default;

const Workspace::Capture* Workspace::capture() const {
    const int i = inRange(m_place.capture, m_captures.size());
    return i < 0 ? nullptr : &m_captures[std::size_t(i)];
}

const session::Session* Workspace::session() const {
    const Capture* c = capture();
    return c ? c->session.get() : nullptr;
}

const session::Compile* Workspace::compile() const {
    const session::Session* s = session();
    const int i = s ? inRange(m_place.compile, s->compiles.size()) : -1;
    return i < 0 ? nullptr : &s->compiles[std::size_t(i)];
}

const ir::Node* Workspace::selectedNode() const {
    const NodeSelection& node = m_place.node;
    const ir::GraphPtr& graph = stage(node.side).graph;
    return !node.isEmpty() && graph && node.node < graph->size() ? &graph->node(node.node) : nullptr;
}

std::vector<ir::NodeIndex> Workspace::related() const {
    if (!m_diff || m_place.node.isEmpty()) return {};
    return m_place.node.side == Side::A ? m_diff->linksFromA(m_place.node.node)
                                        : m_diff->linksFromB(m_place.node.node);
}

int Workspace::addCapture(Capture capture, bool show) {
    m_captures.push_back(std::move(capture));
    const int index = int(m_captures.size()) - 1;
    emit captureOpened(index);
    if (show || m_place.capture < 0) {
        Place place;
        place.capture = index;
        const Capture& opened = m_captures.back();
        place.page = m_firstPage ? m_firstPage(opened) : Page::Stages;
        go(place, m_place.capture >= 0);
    }
    return index;
}

void Workspace::close(int capture) {
    if (inRange(capture, m_captures.size()) < 0) return;
    m_stages.forget(*m_captures[std::size_t(capture)].session);
    m_marks.remove(m_captures[std::size_t(capture)].session.get());
    dropComparisons(m_captures[std::size_t(capture)].session);
    m_profiles->drop(m_captures[std::size_t(capture)].session);
    m_ahead.clear();
    m_captures.erase(m_captures.begin() + capture);
    const auto refersTo = [capture](const Place& p) { return p.capture == capture; };
    const auto renumber = [capture](Place& p) {
        if (p.capture > capture) --p.capture;
    };
    for (std::vector<Visit>* history : {&m_back, &m_forward}) {
        std::erase_if(*history, [&](const Visit& visit) { return refersTo(visit.place); });
        for (Visit& visit : *history)
            renumber(visit.place);
    }
    if (refersTo(m_place)) {
        // The stages go at once: nobody may see indices into a capture that is gone.
        const Place before = std::exchange(m_place, Place{});
        m_a = m_b = {};
        m_diff.reset();
        for (const char* tag : {"stage.a", "stage.b", "diff"})
            m_tasks.cancel(tag);
        emit captureClosed(capture);
        Place next;
        next.capture = std::min(capture, int(m_captures.size()) - 1);
        if (next.capture >= 0) next.page = Page::Stages;
        m_place = completed(next);
        loadStages();
        emit placeChanged(m_place, before);
        emit nodeSelected(m_place.node);
        computeDiff();
    } else {
        renumber(m_place);
        emit captureClosed(capture);
    }
}

Place Workspace::completed(Place place) const {
    place.capture = inRange(place.capture, m_captures.size());
    if (place.capture < 0) return {};
    const Capture& capture = m_captures[std::size_t(place.capture)];
    completeComparison(place);
    if (place.page == Page::Welcome) place.page = Page::Stages;

    const auto& compiles = capture.session->compiles;
    if (place.page == Page::Stages && compiles.empty() && capture.session->memory) place.page = Page::Memory;
    if (place.page == Page::Stages && compiles.empty() && capture.session->tree) place.page = Page::Replay;
    if (place.page == Page::Stages && compiles.empty() && !capture.session->recordings.empty())
        place.page = Page::Dynamo;
    const bool hadCompile = inRange(place.compile, compiles.size()) >= 0;
    if (!hadCompile) place.compile = bestCompile(*capture.session);
    std::size_t stages = 0;
    if (place.compile >= 0) {
        const session::Compile& compile = compiles[std::size_t(place.compile)];
        const std::vector<Computed>& computed = computedOf(compile);
        stages = compile.stages.size() + computed.size();
        for (int* side : {&place.stageA, &place.stageB}) {
            *side = hadCompile ? inRange(*side, stages) : -1;
            // What was removed gives way to what it was made from.
            while (*side >= int(compile.stages.size()) &&
                   computed[std::size_t(*side) - compile.stages.size()].removed)
                *side = computed[std::size_t(*side) - compile.stages.size()].from;
        }
    }
    if (stages > 0 && (place.stageA < 0 || place.stageB < 0)) {
        const auto [a, b] = defaultStages(compiles[std::size_t(place.compile)]);
        if (place.stageA < 0) place.stageA = place.stageB < 0 ? a : std::max(0, place.stageB - 1);
        if (place.stageB < 0) place.stageB = b;
    }
    if (stages == 0) place.node = {};

    place.own.start(place.page, m_starts);
    place.own.complete(place, capture);
    return place;
}

void Workspace::go(Place place, bool remember) {
    // What was asked about goes with the node or compile that it was asked for.
    const bool elsewhere = place.capture != m_place.capture ||
                           (place.compile != m_place.compile && place.subject.kind != Subject::Kind::Line) ||
                           (place.node != m_place.node && !place.node.isEmpty());
    if (elsewhere && place.subject == m_place.subject) place.subject = {};
    visit(std::move(place), remember);
}

void Workspace::visit(Place place, bool remember) {
    place = completed(place);
    if (place == m_place) return;
    if (remember) this->remember({m_place});
    setPlace(place);
}

void Workspace::remember(Visit visit) {
    m_back.push_back(std::move(visit));
    if (m_back.size() > historyLimit) m_back.erase(m_back.begin());
    m_forward.clear();
}

void Workspace::setPlace(Place place) {
    const Place before = std::exchange(m_place, std::move(place));
    const bool newStages = !sameStages(before, m_place);
    if (newStages) loadStages();
    dropStaleSelection();
    emit placeChanged(m_place, before);
    if (newStages) computeDiff();
    if (newStages || before.node != m_place.node) emit nodeSelected(m_place.node);
}

void Workspace::loadStages() {
    const StageView oldA = std::exchange(m_a, {}), oldB = std::exchange(m_b, {});
    m_diff.reset();
    m_tasks.cancel("diff");
    loadStage(Side::A, stageAt(m_place.stageA), oldA, oldB);
    loadStage(Side::B, stageAt(m_place.stageB), oldA, oldB);
    emit stagesChanged();
}

void Workspace::loadStage(Side side, const session::StagePtr& stage, const StageView& oldA,
                          const StageView& oldB) {
    StageView& view = side == Side::A ? m_a : m_b;
    const QString tag = side == Side::A ? "stage.a" : "stage.b";
    m_tasks.cancel(tag);
    view = {stage, nullptr, {}, false};
    if (!stage || stage->content == session::Stage::Content::Code) return;
    for (const StageView* old : std::initializer_list<const StageView*>{&oldA, &oldB, &m_a})
        if (old->stage == stage && (old->graph || !old->error.isEmpty())) {
            view = *old;
            return;
        }
    if ((stage->payload.length <= readAtOnceBytes && stage->payload.isHere()) || stage->isRead()) {
        view = readStage(stage);
        return;
    }
    view.loading = true;
    m_tasks.run<StageView>(
        tag, this, [stage](const TaskContext&) { return readStage(stage); },
        [this, side](StageView loaded) {
            (side == Side::A ? m_a : m_b) = std::move(loaded);
            const NodeSelection before = m_place.node;
            dropStaleSelection();
            emit stagesChanged();
            computeDiff();
            // Tells panels that could not show the node before its graph was there.
            if (before != m_place.node || before.side == side) emit nodeSelected(m_place.node);
        });
}

void Workspace::dropStaleSelection() {
    const NodeSelection& node = m_place.node;
    const StageView& view = stage(node.side);
    if (!node.isEmpty() && !view.loading && (!view.graph || node.node >= view.graph->size()))
        m_place.node = {};
}

void Workspace::computeDiff() {
    const ir::GraphPtr a = m_a.graph, b = m_b.graph;
    if (!a || !b) {
        emit diffChanged();
        return;
    }
    const DiffsAhead::Pair pair{m_a.stage, m_b.stage, origins(m_place.stageA, m_place.stageB)};
    m_diff = m_ahead.find(pair);
    if (!m_diff && a->size() + b->size() <= diffAtOnceNodes) {
        m_diff = std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*a, *b, pair.known));
        m_ahead.keep(pair, m_diff); // what is made of it is kept by it
    }
    emit diffChanged();
    if (m_diff) return;
    m_tasks.run<DiffPtr>(
        "diff", this,
        [a, b, known = pair.known](const TaskContext&) {
            return std::make_shared<const diff::GraphDiff>(diff::diffGraphs(*a, *b, known));
        },
        [this, pair](DiffPtr diff) {
            m_ahead.keep(pair, diff);
            m_diff = std::move(diff);
            emit diffChanged();
        });
}

void Workspace::prepareDiffs(const std::vector<std::pair<int, int>>& stages) {
    std::vector<DiffsAhead::Pair> pairs;
    for (const auto& [a, b] : stages)
        pairs.push_back({stageAt(a), stageAt(b), origins(a, b)});
    m_ahead.prepare(std::move(pairs));
}

DiffPtr Workspace::preparedDiff(int a, int b) const {
    return m_ahead.find({stageAt(a), stageAt(b), origins(a, b)});
}

void Workspace::selectCompile(int capture, int compile) {
    Place place;
    place.capture = capture;
    place.compile = compile;
    place.page = Page::Stages;
    if (capture == m_place.capture && compile == m_place.compile) {
        place = m_place;
        place.page = Page::Stages;
    } else if (const Capture* c =
                   inRange(capture, m_captures.size()) < 0 ? nullptr : &m_captures[std::size_t(capture)];
               c && inRange(compile, c->session->compiles.size()) >= 0 && m_a.stage && m_b.stage) {
        if (m_place.subject.kind == Subject::Kind::Line) place.subject = m_place.subject;
        // Keeps looking at the same two stages, so that a recompile can be held against the first compile.
        const auto& stages = c->session->compiles[std::size_t(compile)].stages;
        const auto find = [&stages](const session::Stage& like) {
            const auto at = std::find_if(stages.begin(), stages.end(), [&](const session::StagePtr& s) {
                return s->name == like.name && s->k == like.k;
            });
            return at == stages.end() ? -1 : int(at - stages.begin());
        };
        const int a = find(*m_a.stage), b = find(*m_b.stage);
        if (a >= 0 && b >= 0) {
            place.stageA = a;
            place.stageB = b;
        }
    }
    go(place);
}

NodeSelection Workspace::carriedNode(int a, int b) const {
    if (m_place.node.isEmpty()) return {};
    const int held = m_place.node.side == Side::A ? m_place.stageA : m_place.stageB;
    const bool sameSide = held == (m_place.node.side == Side::A ? a : b);
    if (sameSide) return m_place.node;
    if (held == a) return {Side::A, m_place.node.node};
    if (held == b) return {Side::B, m_place.node.node};
    return {};
}

void Workspace::showStages(int a, int b) {
    Place place = m_place;
    place.page = Page::Stages;
    place.stageA = a;
    place.stageB = b;
    place.node = carriedNode(a, b);
    // A node that leaves the screen is still what is asked about, and is selected again when it comes back.
    if (place.node.isEmpty()) place.subject = subject();
    if (const Subject& asked = place.subject;
        asked.kind == Subject::Kind::Node && (asked.stage == a || asked.stage == b)) {
        place.node = {asked.stage == a ? Side::A : Side::B, asked.node};
        place.subject = {};
    }
    visit(place);
}

void Workspace::selectStages(int a, int b) {
    if (stageAt(a) && stageAt(b)) showStages(a, b);
}

void Workspace::stepStage(int direction) {
    if (stageCount() == 0) return;
    const int last = stageCount() - 1, least = std::min(1, last);
    int b = std::clamp(m_place.stageB + direction, least, last);
    // Past the gaps that removed stages leave; the first and the last are none.
    while (!stageAt(b) && b > least && b < last)
        b += direction < 0 ? -1 : 1;
    if (b == m_place.stageB && m_place.page == Page::Stages) return;
    showStages(std::max(0, madeFrom(b)), b);
}

void Workspace::firstStage() {
    stepStage(-stageCount());
}

void Workspace::lastStage() {
    stepStage(stageCount());
}

void Workspace::swapSides() {
    if (m_place.stageA >= 0 && m_place.stageB >= 0) showStages(m_place.stageB, m_place.stageA);
}

void Workspace::selectNode(NodeSelection node) {
    Place place = m_place;
    place.node = node;
    place.subject = {};
    go(place);
}

void Workspace::seekNode() {
    emit nodeSought();
}

void Workspace::showBreak(int group) {
    Place place = m_place;
    setBreak(place, group);
    go(place);
}

void Workspace::clearSelection() {
    selectNode({});
}

ir::NodeIndex Workspace::neighbourWrite(int direction) const {
    const ir::GraphPtr& graph = stage(m_place.node.side).graph;
    if (!graph || m_place.node.isEmpty()) return ir::npos;
    const ir::WritesAround around = ir::writesAround(*graph, m_place.node.node);
    return direction > 0 ? around.next : around.writes > 0 ? around.previous : ir::npos;
}

bool Workspace::stepWrite(int direction) {
    const ir::NodeIndex node = neighbourWrite(direction);
    if (node == ir::npos) return false;
    selectNode({m_place.node.side, node});
    return true;
}

void Workspace::travel(std::vector<Visit>& from, std::vector<Visit>& to, bool removes) {
    if (from.empty()) return;
    const Visit visit = from.back();
    from.pop_back();
    to.push_back({m_place, visit.removed});
    if (visit.removed) m_stages.setRemoved(visit.removed.get(), removes);
    setPlace(completed(visit.place));
    if (visit.removed) emit computedChanged();
}

void Workspace::goBack() {
    travel(m_back, m_forward, false);
}

void Workspace::goForward() {
    travel(m_forward, m_back, true);
}

} // namespace dynascope::views
