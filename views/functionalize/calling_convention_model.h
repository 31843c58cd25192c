// SPDX-License-Identifier: BSD-3-Clause
//
// A calling convention as a tree: outer arguments, outputs and epilogue steps under three headings.
#pragma once

#include "core/computed/calling_convention.h"
#include "views/base/sectioned_model.h"

namespace dynascope::views {

/// GUI thread only.
class CallingConventionModel : public SectionedModel {
    Q_OBJECT
public:
    enum Section { Arguments, Outputs, Epilogue, SectionCount };
    enum Column { Number, Name, Type, What, Why, ColumnCount };
    enum Role {
        NodeRole = Qt::UserRole, ///< the node that a row is about, a string
        InResultRole,            ///< that node is of the functional graph, not of the source
        BreakRole,               ///< the break that the Why column leads to, an index, or -1
        WrittenRole,             ///< the row is about a changed input
    };

    explicit CallingConventionModel(QObject* parent = nullptr);
    void setConvention(computed::CallingConvention convention);
    [[nodiscard]] const computed::CallingConvention& convention() const { return m_convention; }

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int sectionCount() const override { return SectionCount; }
    [[nodiscard]] int rowsIn(int section) const override;
    [[nodiscard]] QString heading(int section) const;
    [[nodiscard]] QString tip(const QModelIndex& index) const;

    computed::CallingConvention m_convention;
};

} // namespace dynascope::views
