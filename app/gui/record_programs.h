// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that are recorded from the window, and what that has to do with the page Dynamo.
#pragma once

#include "app/gui/window_part.h"

#include <functional>

namespace dynascope::views {
class DynamoPage;
}

namespace dynascope::app {

class RecordDialog;

class RecordPrograms : public WindowPart {
    Q_OBJECT
public:
    RecordPrograms(const Shared& shared, WindowPages& pages);

    [[nodiscard]] RecordDialog& dialog(); ///< made on first use
    void ask();
    /// Records the program of the current capture again, with a setting (or none, where the program was changed),
    /// and compares what comes out with it.
    void tryOut(const QString& setting);
    void connectPage(views::DynamoPage& page);

private:
    /// Opens what was recorded, or reads it again where it is open, on the page Dynamo.
    void show(const QString& path);
    void compareWithTrial(const QString& path);
    void openAnd(const QString& path, std::function<void(const session::SessionPtr&)> then);

    WindowPages& m_pages;
    RecordDialog* m_record = nullptr; ///< made on first use
    QString m_recorded;               ///< path of a recording that is being opened
    session::SessionPtr m_before;     ///< what a trial is compared with; null where none is under way
};

} // namespace dynascope::app
