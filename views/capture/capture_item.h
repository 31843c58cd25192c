// SPDX-License-Identifier: BSD-3-Clause
//
// A row of the capture tree. For the files of CaptureModel only.
#pragma once

#include "views/capture/capture_model.h"
#include "views/workspace/panel_id.h"

#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

struct CaptureModel::Item {
    Kind kind = Kind::Root;
    Item* parent = nullptr;
    int compile = -1;
    QString icon, tone, strong, chip, breakChip, detail, right, type, tip;
    std::optional<PanelId> panel; ///< that shows it; none where the stages do
    /// Of a compile: icon, tone, chips, detail, right and tip are made when a view first asks for one.
    bool isWritten = true;
    /// Of a capture: the short reasons of breaks by compile, which read better in a narrow tree than PyTorch's
    /// titles.
    std::shared_ptr<const std::map<std::size_t, QString>> breakReasons;
    std::vector<std::unique_ptr<Item>> children;

    Item* add(Kind childKind) {
        auto child = std::make_unique<Item>();
        child->kind = childKind;
        child->parent = this;
        children.push_back(std::move(child));
        return children.back().get();
    }
    [[nodiscard]] int row() const {
        if (!parent) return 0;
        // Views ask for the row of every item; siblings are counted once until rows come or go.
        const auto& siblings = parent->children;
        if (m_row >= siblings.size() || siblings[m_row].get() != this)
            for (std::size_t i = 0; i < siblings.size(); ++i)
                siblings[i]->m_row = i;
        return int(m_row);
    }
    [[nodiscard]] const Item* captureItem() const {
        const Item* item = this;
        while (item && item->kind != Kind::Capture)
            item = item->parent;
        return item;
    }
    /// What it is of, among its siblings.
    [[nodiscard]] QString key() const {
        const bool isCompile = kind == Kind::Compile || kind == Kind::Rank || kind == Kind::Run;
        const QString name = kind == Kind::ArtifactType ? type
                             : kind == Kind::Facet      ? detail
                             : kind == Kind::Frame      ? strong + u'\n' + detail
                             : isCompile                ? strong
                                                        : QString();
        return QString::number(int(kind)) + u':' + name;
    }
    Item* find(int wanted) {
        if (kind == Kind::Compile && compile == wanted) return this;
        for (const auto& child : children)
            if (Item* found = child->find(wanted)) return found;
        return nullptr;
    }

private:
    mutable std::size_t m_row = 0;
};

} // namespace dynascope::views
