// SPDX-License-Identifier: BSD-3-Clause
//
// How DynamoPage is divided, and what of it is kept between runs.
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/partial_graph.h"

#include <QDataStream>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>

namespace dynascope::views {

namespace {

constexpr quint32 stateVersion = 1;
constexpr int narrowWindow = 1400;

} // namespace

void DynamoPage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow;
    const QList<int> parts[] = {narrow ? QList<int>{310, 230, 460} : QList<int>{380, 220, 400}, // main
                                {480, 420},                                                     // left
                                {440, 480},                                                     // right
                                {540, 460}, // graph, beside
                                {300, 600}};
    for (std::size_t i = 0; i < d->splits.size(); ++i)
        d->splits[i]->setSizes(parts[i]);
}

QByteArray DynamoPage::saveState() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    QList<QByteArray> splits;
    for (const QSplitter* split : d->splits)
        splits << split->saveState();
    stream << stateVersion << splits << qint32(d->pages->currentIndex()) << qint32(d->tools->currentIndex())
           << qint32(d->states->currentIndex()) << (d->graph->form() == PartialGraph::Form::Text)
           << d->console->history();
    return bytes;
}

void DynamoPage::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    stream.setVersion(QDataStream::Qt_6_4);
    quint32 version = 0;
    QList<QByteArray> splits;
    qint32 page = 0, tool = 0, tab = 0;
    bool text = false;
    QStringList history;
    stream >> version;
    if (version != stateVersion) return;
    stream >> splits >> page >> tool >> tab >> text >> history;
    if (stream.status() != QDataStream::Ok || std::size_t(splits.size()) != d->splits.size()) return;
    for (std::size_t i = 0; i < d->splits.size(); ++i)
        d->splits[i]->restoreState(splits[qsizetype(i)]);
    d->pages->setCurrentIndex(page);
    d->tools->setCurrentIndex(tool);
    d->states->setCurrentIndex(tab);
    d->graphText->setChecked(text);
    d->console->setHistory(history);
}

} // namespace dynascope::views
