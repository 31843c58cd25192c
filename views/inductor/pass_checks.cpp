// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/pass_checks.h"

#include "views/engine/engine.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <mutex>

namespace dynascope::views {

using engine::PassVerdict;
using Kind = PassVerdict::Kind;

namespace {

const QString verifyTag = QStringLiteral("inductor.verify");
constexpr std::size_t mostDifferences = 8;
constexpr std::array kinds{Kind::Equal,          Kind::Layout, Kind::Different,
                           Kind::OrderDependent, Kind::Random, Kind::Declined};

/// The most to say first.
int weight(Kind kind) {
    switch (kind) {
    case Kind::Different:
        return 5;
    case Kind::OrderDependent:
        return 4;
    case Kind::Random:
        return 3;
    case Kind::Layout:
        return 2;
    case Kind::Declined:
        return 1;
    case Kind::Equal:
        break;
    }
    return 0;
}

Tone toneOf(Kind kind) {
    switch (kind) {
    case Kind::Equal:
        return Tone::Good;
    case Kind::Different:
        return Tone::Bad;
    case Kind::Declined:
        return Tone::None;
    case Kind::Layout:
    case Kind::OrderDependent:
    case Kind::Random:
        break;
    }
    return Tone::Warn;
}

QString nameOf(Kind kind) {
    return toQString(engine::passKindName(kind));
}

} // namespace

/// Filled on the worker, emptied on the GUI thread.
struct PassChecks::Arrived {
    std::mutex lock;
    std::vector<PassVerdict> verdicts;
};

PassChecks::PassChecks(Engine& engine, QObject* parent)
    : QObject(parent)
    , m_engine(engine) {
    connect(&m_engine, &Engine::progress, this, [this](const QString&, quint64, quint64, const QString& tag) {
        if (tag == verifyTag && m_arrived) take();
    });
    connect(&m_engine, &Engine::cancelled, this, [this](const QString& tag) {
        if (tag != verifyTag || !m_arrived) return;
        take();
        m_arrived.reset();
        m_trouble = tr("stopped");
        emit changed();
    });
}

PassChecks::~PassChecks() {
    if (isRunning()) m_engine.cancel(verifyTag);
}

bool PassChecks::isRunning() const {
    return m_arrived != nullptr;
}

void PassChecks::take() {
    {
        const std::scoped_lock lock(m_arrived->lock);
        for (PassVerdict& verdict : m_arrived->verdicts)
            m_verdicts.push_back(std::move(verdict));
        m_arrived->verdicts.clear();
    }
    emit changed();
}

void PassChecks::start(const inductor::CompilePasses& passes, const ir::SymbolValues& hints) {
    clear();
    if (m_engine.state() == Engine::State::Absent) {
        m_trouble = m_engine.trouble();
        emit changed();
        return;
    }
    m_asked = true;
    m_steps = engine::passSteps(passes).size();
    m_arrived = std::make_shared<Arrived>();
    using Verdicts = std::vector<PassVerdict>;
    m_engine.run<Verdicts>(
        verifyTag, tr("verification of passes"), this,
        [passes, hints, arrived = m_arrived](engine::Client& client, const engine::CallOptions& options) {
            return engine::verifyPasses(client, passes, hints, options,
                                        [&arrived](const PassVerdict& verdict) {
                                            const std::scoped_lock lock(arrived->lock);
                                            arrived->verdicts.push_back(verdict);
                                        });
        },
        [this, arrived = m_arrived](const tl::expected<Verdicts, engine::CallError>& verdicts) {
            if (arrived != m_arrived) return;
            take();
            m_arrived.reset();
            if (!verdicts) m_trouble = toQString(verdicts.error().message);
            emit changed();
        });
    emit changed();
}

void PassChecks::cancel() {
    if (isRunning()) m_engine.cancel(verifyTag);
}

void PassChecks::clear() {
    const bool running = isRunning();
    m_arrived.reset(); // what still comes is nobody's
    if (running) m_engine.cancel(verifyTag);
    m_verdicts.clear();
    m_steps = 0;
    m_asked = false;
    m_trouble.clear();
}

const PassVerdict* PassChecks::of(int row) const {
    const PassVerdict* out = nullptr;
    for (const PassVerdict& verdict : m_verdicts)
        if (int(verdict.row) == row && (out == nullptr || weight(verdict.kind) > weight(out->kind)))
            out = &verdict;
    return out;
}

QString PassChecks::summary() const {
    QStringList parts;
    for (const Kind kind : kinds)
        if (const auto n = std::ranges::count(m_verdicts, kind, &PassVerdict::kind); n > 0)
            parts << QStringLiteral("%1 %2").arg(n).arg(nameOf(kind));
    QString out = parts.join(QStringLiteral(", "));
    if (isRunning())
        out = tr("%1 of %2").arg(m_verdicts.size()).arg(m_steps) +
              (out.isEmpty() ? QString() : QStringLiteral(": ") + out);
    else if (m_asked && m_steps == 0)
        out = tr("no pass changed a graph");
    if (!m_trouble.isEmpty()) out += (out.isEmpty() ? QString() : QStringLiteral("; ")) + m_trouble;
    return out;
}

int PassChecks::firstDifferent() const {
    const auto at = std::ranges::find(m_verdicts, Kind::Different, &PassVerdict::kind);
    return at == m_verdicts.end() ? -1 : int(at->row);
}

TableCell verdictCell(const PassVerdict* verdict) {
    if (verdict == nullptr) return {};
    return {nameOf(verdict->kind), TableCell::Look::Chip, toneOf(verdict->kind), toQString(verdict->reason)};
}

Section verdictSection(const PassVerdict& verdict) {
    Section out;
    out.title = tr("Verified");
    out.chip = nameOf(verdict.kind);
    if (!verdict.reason.empty())
        out.facts.push_back(paragraph({text(toQString(verdict.reason))}));
    else if (verdict.kind == Kind::Equal)
        out.facts.push_back(paragraph(
            {text(tr("The same outputs, and the same inputs after the call, as the graph before it."))}));
    if (!verdict.node.empty())
        out.facts.push_back(
            fact(tr("First at"), {mono(toQString(verdict.node))},
                 tr("The first node of the graph after the pass that computes something else though all "
                    "that it reads is the same.")));
    if (!verdict.nodeBefore.empty() && verdict.nodeBefore != verdict.node)
        out.facts.push_back(fact(tr("Before"), {mono(toQString(verdict.nodeBefore))}));
    for (std::size_t i = 0; i < std::min(verdict.differences.size(), mostDifferences); ++i)
        out.facts.push_back(paragraph({text(toQString(verdict.differences[i]))}));
    if (verdict.differences.size() > mostDifferences)
        out.facts.push_back(
            paragraph({quiet(tr("and %1 more").arg(verdict.differences.size() - mostDifferences))}));
    return out;
}

} // namespace dynascope::views
