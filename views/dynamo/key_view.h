// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's cache as a recording knows it: what it was asked and answered, each key as a tree of its
// ingredients beside another one, and the nodes that decide whether a graph can be cached.
#pragma once

#include "core/dynamo/cache_key.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;
class QTreeView;

namespace dynascope::views {

class EmptyMessage;
class KeyModel;
class RowTable;
class Theme;

/// GUI thread only.
class KeyView : public QWidget {
    Q_OBJECT
public:
    explicit KeyView(Theme& theme, QWidget* parent = nullptr);

    void setQuestions(dynamo::RecordingPtr recording, std::vector<dynamo::CacheQuestion> questions);
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] KeyModel& model() const { return *m_model; }

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    void showQuestion();
    void showKey();
    void showNodes(const dynamo::CacheQuestion& question);
    void revealDifference();
    [[nodiscard]] QString nameOf(const dynamo::CacheQuestion& question) const;

    Theme& m_theme;
    dynamo::RecordingPtr m_recording;
    std::vector<dynamo::CacheQuestion> m_questions;
    int m_row = -1;                    ///< the question that is shown
    std::vector<std::size_t> m_others; ///< by entry of m_other but the first
    RowTable *m_table, *m_nodes;
    QTreeView* m_tree;
    KeyModel* m_model;
    QComboBox* m_other;
    QToolButton* m_first;
    QLabel *m_note, *m_nodesNote;
    EmptyMessage* m_noKey; ///< in the tree's place where the key has no ingredients
    QWidget* m_below;      ///< the key and its nodes
};

} // namespace dynascope::views
