// SPDX-License-Identifier: BSD-3-Clause
//
// Widgets within another one, found by class and object name.
#pragma once

#include <QWidget>

namespace dynascope::test {

/// Ends the test program where there is none.
template <typename T>
[[nodiscard]] T* part(const QWidget& whole, const char* name = "") {
    T* found = whole.findChild<T*>(QLatin1String(name));
    if (!found)
        qFatal("%s has no %s %s", whole.metaObject()->className(), T::staticMetaObject.className(), name);
    return found;
}

class Parts {
public:
    explicit Parts(const QWidget& whole)
        : m_whole(whole) {}

protected:
    template <typename T>
    [[nodiscard]] T* find(const char* name = "") const {
        return part<T>(m_whole, name);
    }

private:
    const QWidget& m_whole;
};

} // namespace dynascope::test
