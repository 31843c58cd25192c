// SPDX-License-Identifier: BSD-3-Clause
//
// The capture tree: capture, rank and run (where there are several), frame, compile, and under a compile that
// ended in a graph break the frames that resumed after it. The compile that is shown also lists what is known
// about it.
#pragma once

#include "views/base/tree_model.h"
#include "views/workspace/workspace.h"

#include <memory>
#include <vector>

namespace dynascope::views {

/// Rows change only on the workspace's signals. GUI thread only.
class CaptureModel : public TreeModel {
    Q_OBJECT
public:
    enum class Kind {
        Root,
        Capture,
        Breaks,
        Recompiles,
        Rank,
        Run,
        Frame,
        Compile,
        Facet,
        Artifacts,
        ArtifactType
    };
    enum Role {
        KindRole = Qt::UserRole, ///< int of Kind
        CaptureRole,             ///< index into Workspace::captures()
        CompileRole,             ///< index into Session::compiles, or -1
        IconRole,                ///< name for Theme::icon
        ToneRole,                ///< "added", "removed", "changed" or "": colour of icon and chip
        StrongRole,              ///< text before the chip, drawn strong
        ChipRole,
        BreakChipRole,  ///< a second chip, drawn as a break: of a recompile whose graph broke; mostly empty
        DetailRole,     ///< grey text behind the chip
        RightRole,      ///< grey text at the right edge
        PanelRole,      ///< facets: the PanelId that shows it; invalid where the stages do
        RecordTypeRole, ///< artifact rows: Record::type
    };

    explicit CaptureModel(Workspace& workspace, QObject* parent = nullptr);
    ~CaptureModel() override;

    QVariant data(const QModelIndex& index, int role) const override;

    [[nodiscard]] QModelIndex captureIndex(int capture) const;
    [[nodiscard]] QModelIndex compileIndex(int capture, int compile) const;
    /// Compiles of a frame in tree order, as (index, depth): resumed frames follow the break they resume.
    [[nodiscard]] static std::vector<std::pair<std::size_t, int>> nested(const session::Session& session,
                                                                         const session::Frame& frame);

private:
    struct Item;
    void addCapture(int capture);
    void removeCapture(int capture);
    /// Brings the rows of a capture that was read again up to date: those that stay are the same rows.
    void updateCapture(int capture);
    void merge(Item& item, Item& fresh, int capture);
    void moveFacets();
    [[nodiscard]] std::unique_ptr<Item> buildCapture(int capture) const;
    /// The texts of a compile's row, of the capture at that place.
    void write(Item& item, int capture) const;
    [[nodiscard]] std::vector<std::unique_ptr<Item>> buildFacets(const session::Session& session,
                                                                 std::size_t compile) const;
    [[nodiscard]] Item* findCompile(int capture, int compile) const;
    [[nodiscard]] int childCount(RowId id) const override;
    [[nodiscard]] RowId childAt(RowId id, int row) const override;
    [[nodiscard]] RowId parentOf(RowId id) const override;
    [[nodiscard]] int positionOf(RowId id) const override;
    [[nodiscard]] Item* itemOf(RowId id) const;
    [[nodiscard]] QModelIndex indexOf(const Item* item) const; ///< of a row; invalid for null

    Workspace& m_workspace;
    std::unique_ptr<Item> m_root;
    Item* m_withFacets = nullptr; ///< the compile whose last children are facets
    int m_facets = 0;
};

} // namespace dynascope::views
