// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/symbol_names_view.h"

#include "core/dynamo/symbol_report.h"
#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

namespace dynascope::views {

namespace {

using dynamo::SymbolNote;
using dynamo::SymbolOrigin;
using dynamo::SymbolPair;
using Look = TableCell::Look;

constexpr int oneOnly = -1; ///< of B

/// s42, then the numbers that were taken before it: "40 41".
TableCell chainCell(const SymbolNote* note) {
    if (!note) return {};
    QStringList taken;
    for (const session::SymbolInfo* other : note->inTheWay)
        taken << toQString(other->symbol);
    const QString text =
        note->origin == SymbolOrigin::Hash ? SymbolNamesView::tr("its hash")
        : note->origin == SymbolOrigin::Collision
            ? SymbolNamesView::tr("%1 taken: %2").arg(note->hashed).arg(taken.join(QStringLiteral(", ")))
        : note->origin == SymbolOrigin::Unbacked ? SymbolNamesView::tr("counted")
                                                 : SymbolNamesView::tr("not explained");
    return {text, Look::Quiet, note->origin == SymbolOrigin::Collision ? Tone::Warn : Tone::None,
            toQString(note->sentence())};
}

std::map<std::string, const SymbolNote*> bySource(const std::vector<SymbolNote>& notes) {
    std::map<std::string, const SymbolNote*> out;
    for (const SymbolNote& note : notes)
        out[note.symbol->source] = &note; // the last attempt's
    return out;
}

TableCell kindCell(const SymbolPair& pair) {
    switch (pair.kind) {
    case SymbolPair::Kind::Same:
        return {SymbolNamesView::tr("same"), Look::Quiet};
    case SymbolPair::Kind::Renamed:
        return {SymbolNamesView::tr("renamed"), Look::Chip, Tone::Warn, toQString(pair.sentence)};
    case SymbolPair::Kind::Specialised:
        return {SymbolNamesView::tr("specialised"), Look::Chip, Tone::Bad, toQString(pair.sentence)};
    case SymbolPair::Kind::Missing:
        return {SymbolNamesView::tr("missing"), Look::Chip, Tone::Other, toQString(pair.sentence)};
    }
    return {};
}

} // namespace

SymbolNamesView::SymbolNamesView(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_a(new QComboBox)
    , m_b(new QComboBox)
    , m_table(new RowTable(
          tr("Symbols"),
          {{tr("Source"),
            tr("The size, stride or number that the symbol stands for: its name comes from this"), 320},
           {tr("A"), {}, 80},
           {tr("Why, in A"),
            tr("SHA-256 of the source, modulo 100; if that number is taken, the next free one"), 180},
           {tr("B"), {}, 80},
           {tr("Why, in B"), {}, 180},
           {tr("B against A"), {}, 110},
           {tr("What happened"), {}, 420}},
          theme))
    , m_note(plainLabel({}, "hint")) {
    m_table->setObjectName(QStringLiteral("dynamo.symbolTable"));
    m_note->setObjectName(QStringLiteral("dynamo.symbolNote"));
    m_a->setObjectName(QStringLiteral("dynamo.symbolsA"));
    m_b->setObjectName(QStringLiteral("dynamo.symbolsB"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    for (const auto& [box, name] : {std::pair(m_a, tr("A")), std::pair(m_b, tr("B"))}) {
        box->setAccessibleName(tr("Compile %1").arg(name));
        box->setMinimumWidth(theme.scaled(200));
        row->addWidget(plainLabel(name, "strong"));
        row->addWidget(box);
        connect(box, &QComboBox::activated, this, &SymbolNamesView::show);
    }
    row->addWidget(m_note, 1);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_table, 1);
    m_table->setEmptyText(tr("No symbol was made."));
    setFocusProxy(m_table);
}

const session::Compile* SymbolNamesView::compileOf(const QComboBox& box) const {
    const QPoint at = box.currentData().toPoint();
    const auto& captures = m_workspace.captures();
    if (!box.currentData().isValid() || at.x() < 0 || std::size_t(at.x()) >= captures.size()) return nullptr;
    const auto& compiles = captures[std::size_t(at.x())].session->compiles;
    return at.y() >= 0 && std::size_t(at.y()) < compiles.size() ? &compiles[std::size_t(at.y())] : nullptr;
}

void SymbolNamesView::refresh() {
    const QString a = m_a->currentText(), b = m_b->currentText();
    m_a->clear();
    m_b->clear();
    m_b->addItem(tr("none"), QPoint(oneOnly, oneOnly));
    int first = -1;
    for (std::size_t c = 0; c < m_workspace.captures().size(); ++c) {
        const session::Session& session = *m_workspace.captures()[c].session;
        for (std::size_t i = 0; i < session.compiles.size(); ++i) {
            if (session.compiles[i].symbols.empty()) continue;
            const QString name = toQString(session.title) + u' ' +
                                 toQString(compileName(session, session.compiles[i])) + u' ' +
                                 frameText(session.compiles[i]);
            const QPoint at{int(c), int(i)};
            if (first < 0 && int(c) == m_workspace.place().capture) first = m_a->count();
            m_a->addItem(name, at);
            m_b->addItem(name, at);
        }
    }
    m_a->setCurrentIndex(std::max(m_a->findText(a), a.isEmpty() ? std::max(0, first) : 0));
    m_b->setCurrentIndex(std::max(0, m_b->findText(b)));
    show();
}

void SymbolNamesView::show() {
    const session::Compile *a = compileOf(*m_a), *b = compileOf(*m_b);
    std::vector<TableRow> rows;
    if (!a) {
        m_note->setText(
            tr("No open capture has symbols: its sizes were constants, or its trace lacks them."));
        return m_table->setRows({});
    }
    const std::vector<SymbolNote> notesA = dynamo::explainSymbols(*a);
    if (!b) {
        for (const SymbolNote& note : notesA)
            rows.push_back({{toQString(note.symbol->source), Look::Mono},
                            {toQString(note.symbol->symbol), Look::Mono},
                            chainCell(&note),
                            {},
                            {},
                            {},
                            {toQString(note.sentence())}});
        m_note->setText(countText(rows.size(), tr("symbol"), tr("symbols")));
        return m_table->setRows(std::move(rows));
    }
    const std::vector<SymbolNote> notesB = dynamo::explainSymbols(*b);
    const auto inA = bySource(notesA), inB = bySource(notesB);
    const auto noteOf = [](const auto& notes, const std::string& source) {
        const auto found = notes.find(source);
        return found == notes.end() ? nullptr : found->second;
    };
    std::size_t changed = 0;
    for (const SymbolPair& pair : dynamo::compareSymbols(*a, *b)) {
        changed += pair.kind != SymbolPair::Kind::Same;
        rows.push_back({{toQString(pair.source), Look::Mono},
                        {toQString(pair.a), Look::Mono},
                        chainCell(noteOf(inA, pair.source)),
                        {toQString(pair.b), Look::Mono},
                        chainCell(noteOf(inB, pair.source)),
                        kindCell(pair),
                        {toQString(pair.sentence)}});
    }
    m_note->setText(
        tr("%1 of %2 differ").arg(changed).arg(countText(rows.size(), tr("source"), tr("sources"))));
    m_table->setRows(std::move(rows));
}

} // namespace dynascope::views
