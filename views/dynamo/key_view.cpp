// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/key_view.h"

#include "views/base/nothing_matches.h"
#include "views/base/row_table.h"
#include "views/dynamo/controlled_box.h"
#include "views/dynamo/key_model.h"
#include "views/theme/shown_text.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHeaderView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::CacheQuestion;
using Look = TableCell::Look;

constexpr int shownKey = 16; ///< characters of a key in a table

TableCell outcomeCell(CacheQuestion::Outcome outcome) {
    switch (outcome) {
    case CacheQuestion::Outcome::Hit:
        return {KeyView::tr("hit"), Look::Chip, Tone::Good, KeyView::tr("The cache held the compiled graph")};
    case CacheQuestion::Outcome::Miss:
        return {KeyView::tr("miss"), Look::Chip, Tone::Warn,
                KeyView::tr("No entry under this key: the graph was compiled and stored")};
    case CacheQuestion::Outcome::Bypass:
        return {KeyView::tr("bypass"), Look::Chip, Tone::Bad,
                KeyView::tr("The graph cannot be cached; the reason says why")};
    case CacheQuestion::Outcome::Unknown:
        break;
    }
    return {KeyView::tr("not looked up"), Look::Quiet, Tone::None,
            KeyView::tr("A key was made, and the recording has no lookup under it")};
}

/// Why a lookup has no ingredients to show.
QString keylessText(const CacheQuestion& question) {
    if (question.bypassReason.empty()) return KeyView::tr("The recording has no ingredients of this key.");
    return KeyView::tr("No key was made: the graph bypasses the cache. PyTorch's reason: %1")
        .arg(shownText(toQString(question.bypassReason), 600));
}

} // namespace

KeyView::KeyView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_table(new RowTable(
          tr("Lookups in AOTAutograd's cache"),
          {{tr("Compile"), {}, 340},
           {tr("Answer"), {}, 110},
           {tr("Key"), tr("What the compiled graph is stored under"), 220},
           {tr("Differs in"),
            tr("The first ingredient in which the key differs from the one before it of the "
               "same function"),
            320},
           {tr("Step"), tr("The step in whose course it was looked up; Enter goes there"), 70, true},
           {tr("Why not"), tr("PyTorch's reason for a bypass"), 500}},
          theme))
    , m_nodes(new RowTable(
          tr("Nodes and the cache"),
          {{tr("Node"), {}, 160},
           {tr("For the cache"), tr("One node that is not safe makes the whole graph bypass the cache"), 120},
           {tr("is_wrapped"),
            tr("The function was wrapped with torch.fx.wrap: safe with a user_cache_hash only"), 90},
           {tr("user_cache_hash"), tr("The hash that the program gave the function for this cache"), 180},
           {tr("Why"), {}, 400}},
          theme))
    , m_tree(new QTreeView)
    , m_model(new KeyModel(theme, this))
    , m_other(new QComboBox)
    , m_first(new QToolButton)
    , m_note(plainLabel({}, "hint"))
    , m_nodesNote(plainLabel({}, "hint")) {
    m_nodes->setObjectName(QStringLiteral("dynamo.keyNodes"));
    m_note->setObjectName(QStringLiteral("dynamo.keyNote"));
    m_first->setObjectName(QStringLiteral("dynamo.keyFirst"));
    m_table->setObjectName(QStringLiteral("dynamo.keyQuestions"));
    m_other->setObjectName(QStringLiteral("dynamo.keyOther"));
    m_tree->setModel(m_model);
    m_tree->setAccessibleName(tr("Ingredients of the key"));
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->header()->setResizeContentsPrecision(0);
    m_other->setAccessibleName(tr("Compared with"));
    m_other->setToolTip(tr("The key that the selected one is compared with"));
    m_other->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_first->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_first->setFocusPolicy(Qt::TabFocus);
    m_first->setToolTip(
        tr("Selects the first ingredient that differs: why the entry of the other key was no hit"));

    m_noKey = new EmptyMessage(theme, *m_tree);
    auto* below = new Splitter(Qt::Horizontal);
    m_below = below;
    below->addWidget(controlledBox(tr("Key compared with"), m_tree, {m_other, m_first, m_note}));
    below->addWidget(controlledBox(tr("Nodes"), m_nodes, {m_nodesNote}));
    below->setSizes({620, 380});
    auto* split = new Splitter(Qt::Vertical);
    split->addWidget(controlledBox(tr("Lookups in AOTAutograd's cache"), m_table, {}));
    split->addWidget(below);
    split->setSizes({200, 440});
    for (Splitter* each : {below, split})
        for (int i = 0; i < each->count(); ++i)
            each->setCollapsible(i, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    m_table->setEmptyText(
        tr("No lookup in AOTAutograd's cache was recorded. PyTorch looks there where the backend "
           "is inductor, and the cache is on."));
    m_nodes->setEmptyText(tr("No node is out of the ordinary."));
    setFocusProxy(m_table);

    connect(m_table, &RowTable::rowSelected, this, [this](int row) {
        m_row = row;
        showQuestion();
    });
    connect(m_table, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_questions.size() &&
            m_questions[std::size_t(row)].step != dynamo::noStep)
            emit stepChosen(m_questions[std::size_t(row)].step);
    });
    connect(m_other, &QComboBox::activated, this, &KeyView::showKey);
    connect(m_first, &QToolButton::clicked, this, [this] {
        revealDifference();
        m_tree->setFocus(Qt::OtherFocusReason);
    });
}

QString KeyView::nameOf(const CacheQuestion& question) const {
    const auto& attempts = m_recording->attempts();
    if (question.attempt >= attempts.size()) return tr("outside of a compile");
    const dynamo::AttemptInfo& attempt = attempts[question.attempt];
    const dynamo::Code* code = m_recording->code(attempt.code);
    return toQString(idText(attempt)) + (code ? u' ' + toQString(code->name) : QString());
}

void KeyView::setQuestions(dynamo::RecordingPtr recording, std::vector<CacheQuestion> questions) {
    m_recording = std::move(recording);
    m_questions = std::move(questions);
    std::vector<TableRow> rows;
    const auto codeOf = [this](const CacheQuestion& question) {
        const auto& attempts = m_recording->attempts();
        return question.attempt < attempts.size() ? attempts[question.attempt].code : UINT32_MAX;
    };
    for (std::size_t i = 0; i < m_questions.size(); ++i) {
        const CacheQuestion& question = m_questions[i];
        TableCell differs{QString(), Look::Mono};
        for (std::size_t k = i; k-- > 0 && !question.parts.empty();) {
            const CacheQuestion& before = m_questions[k];
            if (before.parts.empty() || codeOf(before) != codeOf(question)) continue;
            const auto differences = dynamo::compareKeys(question.parts, before.parts);
            differs =
                differences.empty()
                    ? TableCell{tr("nothing"), Look::Quiet}
                    : TableCell{toQString(differences.front().name), Look::Mono, Tone::Warn,
                                tr("%1 against %2:\n%3\n%4")
                                    .arg(countText(differences.size(), tr("difference"), tr("differences")),
                                         nameOf(before), toQString(differences.front().left),
                                         toQString(differences.front().right))};
            break;
        }
        const bool stepped = question.step != dynamo::noStep;
        rows.push_back(
            {{nameOf(question), Look::Mono},
             outcomeCell(question.outcome),
             {toQString(question.key).left(shownKey), Look::MonoQuiet, Tone::None, toQString(question.key)},
             differs,
             {stepped ? QString::number(question.step) : QString(),
              Look::Mono,
              Tone::None,
              {},
              question.step},
             {toQString(question.bypassReason), Look::Text, Tone::None, toQString(question.bypassReason)}});
    }
    m_table->setRows(std::move(rows));
    m_row = m_questions.empty() ? -1 : 0;
    m_table->select(m_row);
    showQuestion();
}

void KeyView::showQuestion() {
    const int row = m_row;
    m_other->clear();
    m_others.clear();
    m_other->addItem(tr("nothing"));
    m_below->setVisible(row >= 0); // the lookups' table says why there is nothing
    if (row < 0) {
        m_model->setKeys({}, {}, false);
        m_first->hide();
        m_note->setText(
            tr("AOTAutograd's cache was not asked while this was recorded. Inductor asks it where "
               "torch._functorch.config.enable_autograd_cache is on; backends such as eager and aot_eager do "
               "not."));
        m_nodes->setRows({});
        m_nodesNote->clear();
        return;
    }
    const CacheQuestion& question = m_questions[std::size_t(row)];
    int before = 0;
    for (std::size_t i = 0; i < m_questions.size(); ++i) {
        if (int(i) == row || m_questions[i].parts.empty()) continue;
        m_others.push_back(i);
        m_other->addItem(tr("%1, step %2").arg(nameOf(m_questions[i])).arg(m_questions[i].step));
        // The one before it of the same function, or else the one after it.
        const bool sameCode = nameOf(m_questions[i]).section(u' ', 1) == nameOf(question).section(u' ', 1);
        if (sameCode && (int(i) < row || before == 0)) before = m_other->count() - 1;
    }
    m_other->setCurrentIndex(question.parts.empty() ? 0 : before);
    m_other->setEnabled(!question.parts.empty());
    showKey();
    showNodes(question);
}

void KeyView::showKey() {
    if (m_row < 0) return;
    const CacheQuestion& question = m_questions[std::size_t(m_row)];
    const int chosen = m_other->currentIndex() - 1;
    static const std::vector<dynamo::KeyPart> none;
    const bool compared = chosen >= 0 && std::size_t(chosen) < m_others.size();
    m_model->setKeys(question.parts, compared ? m_questions[m_others[std::size_t(chosen)]].parts : none,
                     compared);
    m_tree->setColumnHidden(KeyModel::Other, !compared);
    m_tree->expandAll();
    for (const auto& [column, widest] :
         {std::pair(KeyModel::Name, 260), std::pair(KeyModel::Value, compared ? 260 : 420),
          std::pair(KeyModel::Other, 260)}) {
        if (m_tree->isColumnHidden(column)) continue;
        m_tree->resizeColumnToContents(column);
        const int most = std::max(m_theme.scaled(widest), m_tree->viewport()->width() / 4);
        m_tree->setColumnWidth(column, std::min(m_tree->columnWidth(column), most));
    }
    const QModelIndex first = m_model->firstDifference();
    m_first->setVisible(first.isValid());
    if (first.isValid()) m_first->setText(tr("First difference: %1").arg(m_model->fullName(first)));
    m_noKey->setWord(question.parts.empty() ? keylessText(question) : QString());
    const QString count = countText(m_model->ingredients(), tr("ingredient"), tr("ingredients"));
    if (question.parts.empty())
        m_note->setText(question.bypassReason.empty() ? tr("The recording has no ingredients of this key.")
                                                      : tr("No key: the graph bypasses the cache."));
    else if (compared)
        m_note->setText(first.isValid() ? tr("%1 of %2 differ").arg(numberText(m_model->differences()), count)
                                        : tr("The keys are equal: %1").arg(count));
    else
        m_note->setText(count);
    revealDifference();
}

void KeyView::revealDifference() {
    const QModelIndex first = m_model->firstDifference();
    if (!first.isValid()) return;
    m_tree->setCurrentIndex(first);
    m_tree->scrollTo(first, QAbstractItemView::PositionAtCenter);
}

void KeyView::showNodes(const CacheQuestion& question) {
    std::vector<TableRow> rows;
    std::size_t unsafe = 0;
    for (const dynamo::CacheNodeVerdict& node : question.nodes) {
        const bool safe = node.reason.empty();
        if (!safe) ++unsafe;
        rows.push_back({{toQString(node.name), Look::Mono},
                        {safe ? tr("safe") : tr("bypass"), Look::Chip, safe ? Tone::Good : Tone::Bad},
                        {node.wrapped ? tr("yes") : tr("no"), Look::Quiet},
                        {toQString(node.userCacheHash), Look::Mono},
                        {toQString(node.reason), Look::Text, Tone::None, toQString(node.reason)}});
    }
    m_nodes->setRows(std::move(rows));
    m_nodesNote->setText(question.nodes.empty() ? tr("none is out of the ordinary: all are safe to cache")
                         : unsafe == 0          ? tr("these are safe, as are all others")
                                                : tr("%1 of them not safe").arg(numberText(unsafe)));
}

} // namespace dynascope::views
