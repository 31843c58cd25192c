// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that are recorded from the window, and what that has to do with the page Dynamo.
#pragma once

#include "app/gui/window_part.h"

namespace dynascope::views {
class DynamoPage;
}

namespace dynascope::app {

class RecordDialog;

class RecordPrograms : public WindowPart {
    Q_OBJECT
public:
    RecordPrograms(const Shared& shared, WindowPages& pages)
        : WindowPart(shared)
        , m_pages(pages) {}

    [[nodiscard]] RecordDialog& dialog(); ///< made on first use
    void ask();
    void connectPage(views::DynamoPage& page);

private:
    /// Opens what was recorded, or reads it again where it is open, on the page Dynamo.
    void show(const QString& path);

    WindowPages& m_pages;
    RecordDialog* m_record = nullptr; ///< made on first use
    QString m_recorded;               ///< path of a recording that is being opened
};

} // namespace dynascope::app
