// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/diff/graph_diff.h"
#include "core/dynamo/cache_key.h"
#include "views/base/sectioned_model.h"

#include <QString>
#include <vector>

namespace dynascope::views {

class Theme;

/// The ingredients of a key of AOTAutograd's cache, those of one name below it, beside another key's. GUI
/// thread only.
class KeyModel : public SectionedModel {
    Q_OBJECT
public:
    enum Column { Name, Value, Other, Hash, ColumnCount };

    explicit KeyModel(Theme& theme, QObject* parent = nullptr);

    /// Added is what only `key` has, Removed what only `other` has. Without `compared` nothing is marked.
    void setKeys(const std::vector<dynamo::KeyPart>& key, const std::vector<dynamo::KeyPart>& other,
                 bool compared);
    /// Ingredients, those in groups one by one.
    [[nodiscard]] std::size_t ingredients() const;
    [[nodiscard]] std::size_t differences() const;
    /// The first ingredient that differs; invalid where none does.
    [[nodiscard]] QModelIndex firstDifference() const;
    /// "example_inputs[0]".
    [[nodiscard]] QString fullName(const QModelIndex& index) const;

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Part {
        QString name, hash, otherHash, text, other;
        diff::Change change = diff::Change::Same;
        std::vector<Part> parts;
    };
    [[nodiscard]] static std::vector<Part> merged(const std::vector<dynamo::KeyPart>& key,
                                                  const std::vector<dynamo::KeyPart>& other, bool compared);
    [[nodiscard]] int sectionCount() const override { return int(m_parts.size()); }
    [[nodiscard]] int rowsIn(int section) const override;
    [[nodiscard]] const Part* part(const QModelIndex& index) const;
    [[nodiscard]] QString display(const Part& part, int column) const;

    Theme& m_theme;
    std::vector<Part> m_parts;
    bool m_compared = false;
};

} // namespace dynascope::views
