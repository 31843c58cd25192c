// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/stage_checker.h"

#include "views/workspace/labels.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

using answers::Item;
using engine::Rederived;

constexpr int pauseMs = 300; // before it begins by itself, so that what the reader does comes first

} // namespace

StageChecker::StageChecker(Workspace& workspace, Rederivations& rederived, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_rederived(rederived) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMs);
    connect(&m_pause, &QTimer::timeout, this, &StageChecker::next);
    connect(&m_rederived, &Rederivations::changed, this, &StageChecker::changed);
    connect(&m_rederived, &Rederivations::runQuietlyEnded, this, &StageChecker::ended);
    connect(&m_rederived.engine(), &Engine::stateChanged, this, &StageChecker::giveWay);
    connect(&m_rederived.engine(), &Engine::cancelled, this, &StageChecker::cancelled);
    connect(&m_workspace, &Workspace::placeChanged, this, &StageChecker::placeChanged);
}

void StageChecker::setAutomatic(bool on) {
    m_automatic = on;
    if (on)
        look();
    else
        stop();
}

void StageChecker::setWatched(bool on) {
    m_watched = on;
    if (on) look();
}

void StageChecker::look() {
    if (!m_automatic || !m_watched || m_stopped || m_wanted ||
        m_rederived.engine().state() == Engine::State::Absent)
        return;
    if (nextCompile() >= 0) start();
}

void StageChecker::start() {
    const Workspace::Capture* capture = m_workspace.capture();
    if (!capture) return;
    m_session = capture->session;
    m_stopped = false;
    m_trouble.clear();
    if (m_rederived.engine().state() == Engine::State::Absent) {
        m_trouble = m_rederived.engine().trouble();
        emit changed();
        return;
    }
    m_wanted = nextCompile() >= 0;
    if (m_wanted) m_pause.start();
    emit changed();
}

void StageChecker::stop() {
    m_stopped = true;
    m_wanted = false;
    m_pause.stop();
    m_rederived.stopQuietly();
    emit changed();
}

void StageChecker::placeChanged() {
    const Workspace::Capture* capture = m_workspace.capture();
    const session::SessionPtr now = capture ? capture->session : nullptr;
    if (now == m_session) return;
    m_rederived.stopQuietly();
    m_pause.stop();
    m_session = now;
    m_tried.clear();
    m_trouble.clear();
    m_wanted = m_stopped = false;
    look();
    emit changed();
}

int StageChecker::nextCompile() const {
    const session::Session* session = m_workspace.session();
    for (std::size_t i = 0; session && i < session->compiles.size(); ++i) {
        if (m_tried.contains(i)) continue;
        const auto& stages = session->compiles[i].stages;
        const bool open = std::any_of(stages.begin(), stages.end(), [&](const session::StagePtr& stage) {
            return answers::isDerivable(*stage) && !m_rederived.find(stage.get());
        });
        if (open) return int(i);
    }
    return -1;
}

void StageChecker::next() {
    if (!m_wanted || m_rederived.isQuiet()) return;
    if (m_rederived.isEngineWanted() || m_rederived.isRunning()) {
        m_pause.start();
        return;
    }
    const int compile = nextCompile();
    if (compile < 0 || m_workspace.session() != m_session.get()) {
        m_wanted = false;
        emit changed();
        return;
    }
    m_rederived.runQuietly(m_session, std::size_t(compile));
}

void StageChecker::giveWay() {
    if (!m_wanted || m_interrupted) return;
    if (m_rederived.isQuiet() && m_rederived.isEngineWanted()) {
        m_yielding = true;
        m_pause.start();
        m_rederived.stopQuietly();
    } else if (!m_rederived.isRunning() && !m_pause.isActive()) {
        m_pause.start(); // what somebody asked for is done
    }
}

void StageChecker::cancelled() {
    if (std::exchange(m_yielding, false) || !m_wanted) return;
    m_interrupted = true;
    // A newer run of the same kind may be about to begin; else somebody wants the engine to rest.
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_interrupted = false;
            if (m_wanted && !m_rederived.isRunning()) stop();
        },
        Qt::QueuedConnection);
}

void StageChecker::ended(const QString& trouble) {
    if (!m_wanted) return;
    // A compile with stages that still say nothing is not asked again: its answer lacked them, or the engine
    // did not live through it.
    if (nextCompile() == int(m_rederived.lastAsked())) m_tried.insert(m_rederived.lastAsked());
    if (!trouble.isEmpty()) m_trouble = trouble;
    if (m_rederived.engine().state() == Engine::State::Absent) {
        m_wanted = false;
        emit changed();
        return;
    }
    next();
}

answers::StageChecks StageChecker::checks() const {
    answers::StageChecks out;
    const session::Session* session = m_workspace.session();
    if (!session) return out;
    out.running = m_wanted;
    out.trouble = m_trouble.toStdString();
    if (out.trouble.empty() && m_rederived.engine().state() == Engine::State::Absent)
        out.trouble = m_rederived.engine().trouble().toStdString();
    for (std::size_t i = 0; i < session->compiles.size(); ++i) {
        const session::Compile& compile = session->compiles[i];
        const std::string name = compileName(*session, compile);
        for (const session::StagePtr& stage : compile.stages) {
            if (!answers::isDerivable(*stage)) continue;
            ++out.stages;
            Item cell;
            cell.label = name + ' ' + stage->shortLabel();
            cell.target.compile = i;
            cell.target.stage = stage;
            const engine::RederivedStage* row = m_rederived.find(stage.get());
            cell.text = row ? std::string(rederivedName(row->verdict)) : "not checked";
            if (row && !row->reason.empty()) cell.text += ": " + row->reason;
            switch (row ? row->verdict : Rederived::NotDerived) {
            case Rederived::Isomorphic:
                ++out.isomorphic;
                cell.meaning = Item::Meaning::Good;
                break;
            case Rederived::Equivalent:
                ++out.equivalent;
                cell.meaning = Item::Meaning::Good;
                break;
            case Rederived::Different:
                if (out.different++ == 0) {
                    out.firstDifferent = cell.label + ": " + row->reason;
                    out.first = cell.target;
                    out.first.node = row->node;
                }
                cell.meaning = Item::Meaning::Bad;
                cell.target.node = row->node;
                break;
            case Rederived::Declined:
                ++out.declined;
                cell.meaning = Item::Meaning::Warn;
                break;
            case Rederived::NotDerived:
            case Rederived::Alone:
                if (row) ++out.notDerived;
                break;
            }
            out.cells.push_back(std::move(cell));
        }
    }
    return out;
}

} // namespace dynascope::views
