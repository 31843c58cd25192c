// SPDX-License-Identifier: BSD-3-Clause
//
// Widgets within another one, found by class and object name.
#pragma once

#include <QWidget>

namespace dynascope::test {

/// Ends the test program where a widget is missing.
class Parts {
public:
    explicit Parts(const QWidget& whole)
        : m_whole(whole) {}

protected:
    template <typename T>
    [[nodiscard]] T* find(const char* name = "") const {
        T* found = m_whole.findChild<T*>(QLatin1String(name));
        if (!found)
            qFatal("%s has no %s %s", m_whole.metaObject()->className(), T::staticMetaObject.className(), name);
        return found;
    }

private:
    const QWidget& m_whole;
};

} // namespace dynascope::test
