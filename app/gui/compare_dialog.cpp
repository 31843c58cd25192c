// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/compare_dialog.h"

#include "core/compare/compare.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::app {

using namespace views;

namespace {

constexpr int fileItem = -2;             ///< of a capture box
constexpr qsizetype longestChoice = 120; ///< characters: a box measures all that it offers
constexpr int allOfIt = 0, oneRank = 1, oneCompile = 2;

/// What a part box holds: a kind and its number.
QVariant part(int kind, int number) {
    return QPoint(kind, number);
}

} // namespace

CompareDialog::CompareDialog(const Workspace& workspace, QWidget* parent)
    : QDialog(parent)
    , m_workspace(workspace)
    , m_note(new QLabel) {
    setWindowTitle(tr("Compare"));
    auto* grid = new QGridLayout;
    grid->setColumnStretch(1, 3);
    grid->setColumnStretch(2, 2);
    const std::array<QString, 2> names{tr("A"), tr("B")};
    for (int i = 0; i < 2; ++i) {
        SideBoxes& side = m_sides[std::size_t(i)];
        side.capture = new QComboBox;
        side.part = new QComboBox;
        side.capture->setAccessibleName(tr("Capture %1").arg(names[std::size_t(i)]));
        side.part->setAccessibleName(tr("Part of capture %1").arg(names[std::size_t(i)]));
        side.capture->setMinimumWidth(240);
        side.part->setMinimumWidth(220);
        for (std::size_t c = 0; c < workspace.captures().size(); ++c)
            side.capture->addItem(shownText(toQString(workspace.captures()[c].session->title), longestChoice),
                                  int(c));
        grid->addWidget(new QLabel(names[std::size_t(i)]), i, 0);
        grid->addWidget(side.capture, i, 1);
        grid->addWidget(side.part, i, 2);
        connect(side.capture, &QComboBox::currentIndexChanged, this, [this, i] {
            fillParts(m_sides[std::size_t(i)]);
            update();
        });
        connect(side.part, &QComboBox::currentIndexChanged, this, &CompareDialog::update);
    }
    QComboBox* captureB = m_sides[1].capture;
    captureB->insertSeparator(captureB->count());
    captureB->addItem(tr("Another file..."), fileItem);
    connect(captureB, &QComboBox::activated, this, [this, captureB](int index) {
        if (captureB->itemData(index).toInt() != fileItem) return;
        setFile(QFileDialog::getOpenFileName(this, tr("Compare with")));
    });

    m_note->setTextFormat(Qt::PlainText);
    m_note->setObjectName(QStringLiteral("compare.note"));
    m_note->setProperty("role", "label");
    m_note->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_compare = buttons->addButton(tr("Compare"), QDialogButtonBox::AcceptRole);
    m_compare->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    column->addLayout(grid);
    column->addWidget(m_note);
    column->addWidget(buttons);

    const int here = workspace.place().capture, count = int(workspace.captures().size());
    m_sides[0].capture->setCurrentIndex(std::max(0, here));
    m_sides[1].capture->setCurrentIndex(count > 1 ? (here == 0 ? 1 : 0) : 0);
    for (const SideBoxes& side : m_sides)
        fillParts(side);
    // Of one capture with one rank two compiles are left: the selected one and another of the same code, else
    // the one after it.
    if (const session::Session* session = workspace.session();
        count == 1 && session->ranks.size() < 2 && session->compiles.size() > 1) {
        const int compile = std::max(0, workspace.place().compile);
        const std::size_t same = compare::otherEntry(*session, std::size_t(compile));
        const int other = same == compare::none ? (compile + 1) % int(session->compiles.size()) : int(same);
        m_sides[0].part->setCurrentIndex(m_sides[0].part->findData(part(oneCompile, compile)));
        m_sides[1].part->setCurrentIndex(m_sides[1].part->findData(part(oneCompile, other)));
    }
    update();
}

session::SessionPtr CompareDialog::sessionOf(const SideBoxes& side) const {
    const int index = side.capture->currentData().toInt();
    const bool known = side.capture->currentData().isValid() && index >= 0 &&
                       std::size_t(index) < m_workspace.captures().size();
    return known ? m_workspace.captures()[std::size_t(index)].session : nullptr;
}

void CompareDialog::fillParts(const SideBoxes& side) {
    const QSignalBlocker blocker(side.part);
    side.part->clear();
    side.part->addItem(tr("All of it"), part(allOfIt, -1));
    const session::SessionPtr session = sessionOf(side);
    side.part->setEnabled(session != nullptr);
    if (!session) return;
    if (session->ranks.size() > 1)
        for (const int rank : session->ranks)
            side.part->addItem(tr("Rank %1").arg(rank), part(oneRank, rank));
    for (std::size_t i = 0; i < session->compiles.size(); ++i)
        side.part->addItem(shownText(toQString(compileName(*session, session->compiles[i])) +
                                         QStringLiteral("  ") + frameText(session->compiles[i]),
                                     longestChoice),
                           part(oneCompile, int(i)));
}

void CompareDialog::setFile(const QString& path) {
    m_file = path;
    QComboBox* box = m_sides[1].capture;
    const int item = box->findData(fileItem);
    box->setItemText(item, path.isEmpty() ? tr("Another file...") : QFileInfo(path).fileName());
    box->setCurrentIndex(path.isEmpty() ? 0 : item);
    fillParts(m_sides[1]);
    update();
}

ComparisonRequest CompareDialog::request() const {
    ComparisonRequest out;
    out.a = sessionOf(m_sides[0]);
    out.b = sessionOf(m_sides[1]);
    const QPoint a = m_sides[0].part->currentData().toPoint(), b = m_sides[1].part->currentData().toPoint();
    if (a.x() == oneCompile && b.x() == oneCompile) {
        out.what = ComparisonRequest::What::Compiles;
        out.compileA = a.y();
        out.compileB = b.y();
    } else if (out.a == out.b && a.x() == allOfIt && b.x() == allOfIt) {
        out.what = ComparisonRequest::What::Ranks;
    } else {
        if (a.x() == oneRank) out.rankA = a.y();
        if (b.x() == oneRank) out.rankB = b.y();
    }
    return out;
}

void CompareDialog::update() {
    if (m_sides[1].capture->currentData().toInt() != fileItem) m_file.clear();
    const ComparisonRequest chosen = request();
    const QPoint a = m_sides[0].part->currentData().toPoint(), b = m_sides[1].part->currentData().toPoint();
    QString note;
    bool can = true;
    const auto refuse = [&](const QString& why) {
        note = why;
        can = false;
    };
    if (!m_file.isEmpty())
        note = tr("The file is opened, and its graphs are matched with those of A by source and structure.");
    else if (!chosen.a || !chosen.b)
        refuse(tr("Two sides are needed."));
    else if ((a.x() == oneCompile) != (b.x() == oneCompile))
        refuse(tr("A compile can be compared with a compile: choose one on both sides, or on none."));
    else if (chosen.what == ComparisonRequest::What::Compiles)
        note = tr("The stages of the two compiles, one by one.");
    else if (chosen.what == ComparisonRequest::What::Ranks)
        chosen.a->ranks.size() > 1
            ? void(note = tr("Every rank is compared with the first one, by compile id."))
            : refuse(tr("This capture has one rank. Choose another capture for B, or two of "
                        "its compiles."));
    else
        note = tr("Graphs are matched by source and structure: compile ids may have shifted.");
    if (can && chosen.a == chosen.b && m_file.isEmpty() && a == b && a.x() != allOfIt)
        refuse(tr("Both sides are the same."));
    m_note->setText(note);
    m_compare->setEnabled(can);
}

} // namespace dynascope::app
