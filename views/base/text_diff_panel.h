// SPDX-License-Identifier: BSD-3-Clause
//
// Stage A's code beside stage B's, aligned by the graph diff's rows.
#pragma once

#include "views/base/aligned_text.h"
#include "views/base/code_panel.h"

#include <memory>

namespace dynascope::views {

struct AlignKey;

/// GUI thread only. Text is printed and aligned on the TaskRunner (tag "textdiff"), and beforehand where the workspace
/// prepares a diff.
class TextDiffPanel : public CodePanel {
    Q_OBJECT
public:
    TextDiffPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~TextDiffPanel() override;

    /// The chips and buttons of the header, for a host that has a better place for them (a tab bar's corner).
    [[nodiscard]] QWidget* takeTools();
    void returnTools(); ///< back into the header
    /// Without the counts among the tools, which the canvas says as well.
    void setCompactTools(bool compact);
    [[nodiscard]] bool isPreparing() const; ///< texts that are not looked at yet are being made

public slots:
    void nextDifference(int direction); ///< +1 or -1
    void copyAll();
    bool exportTo(const QString& path); ///< unified text; false where it could not be written

protected:
    void refresh() override;
    void restyle() override;

private:
    void prepare(const session::StagePtr& a, const session::StagePtr& b, const DiffPtr& diff);
    [[nodiscard]] bool showText(const AlignKey& key);
    void setText(AlignedTextPtr text, bool newStages);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
