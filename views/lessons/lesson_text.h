// SPDX-License-Identifier: BSD-3-Clause
//
// A step's Markdown, as high as it is. A lesson may be a stranger's: HTML stays text, images and links lead nowhere.
#pragma once

#include <QTextBrowser>
#include <string>

namespace dynascope::views {

class Theme;

class LessonText : public QTextBrowser {
    Q_OBJECT
public:
    explicit LessonText(Theme& theme, QWidget* parent = nullptr);
    void setLesson(const std::string& markdown);
    /// The first fenced code of a text; empty for none.
    [[nodiscard]] static QString codeOf(const std::string& markdown);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 20}; }

protected:
    [[nodiscard]] QVariant loadResource(int type, const QUrl& name) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void write();
    void fit();

    Theme& m_theme;
    QString m_markdown;
};

} // namespace dynascope::views
