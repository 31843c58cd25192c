// SPDX-License-Identifier: BSD-3-Clause
//
// Captures whose every text is an attack, made of real ones.
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <utility>

namespace dynascope::test {

/// Markup that would load `file`, a mark of direction, an escape sequence of terminals.
inline QString markupAttack(const QString& file) {
    return QStringLiteral("<img src=\"%1\"> <b>bold</b> ").arg(file) + QChar(0x202e) +
           QStringLiteral("desrever") + QChar(0x1b) + QStringLiteral("]0;title") + QChar(7);
}

/// Texts that mean something to the reader stay; what only people read is replaced.
class HostileText {
public:
    /// `inserted` comes before every text; every fortieth has `tail` behind it.
    explicit HostileText(QString inserted, QString tail = QString(100000, u'A'))
        : m_text(std::move(inserted))
        , m_tail(std::move(tail)) {}

    QByteArray on(const QByteArray& log) {
        QByteArray out;
        for (const QByteArray& line : log.split('\n')) {
            const qsizetype json = line.indexOf("] {");
            if (json < 0 || line.startsWith('\t')) {
                out += ofPayload(line) + '\n';
                continue;
            }
            QJsonParseError error;
            const QJsonDocument document = QJsonDocument::fromJson(line.mid(json + 2), &error);
            if (error.error != QJsonParseError::NoError) {
                out += line + '\n';
                continue;
            }
            QJsonObject object = document.object();
            attack(object, QString());
            out += line.left(json + 2) + QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
        }
        return out;
    }
    [[nodiscard]] int count() const { return m_count; }

private:
    QString replaced(const QString& text) {
        ++m_count;
        // One in forty is long, so that the log stays readable in seconds.
        return m_text + text + (m_count % 40 == 7 ? m_tail : QString());
    }
    void attack(QJsonObject& object, const QString& of) {
        static const QStringList read{"encoding", "has_payload", "category", "ph", "type"};
        for (auto field = object.begin(); field != object.end(); ++field) {
            QJsonValueRef value = field.value();
            if (value.isString() && !read.contains(field.key()) &&
                !(of == "artifact" && field.key() == "name"))
                value = replaced(value.toString());
            else
                attack(value, field.key());
        }
    }
    void attack(QJsonValueRef value, const QString& of) {
        if (value.isObject()) {
            QJsonObject object = value.toObject();
            attack(object, of);
            value = object;
        } else if (value.isArray()) {
            QJsonArray array = value.toArray();
            for (QJsonValueRef item : array) {
                if (item.isString())
                    item = replaced(item.toString());
                else
                    attack(item, of);
            }
            value = array;
        }
    }
    /// Comments of graphs name files, functions and code; arguments hold strings.
    QByteArray ofPayload(const QByteArray& line) {
        if (!line.contains("# File: ")) return line;
        ++m_count;
        return QByteArray(line).replace("code: ", "code: " + m_text.toUtf8());
    }

    QString m_text, m_tail;
    int m_count = 0;
};

} // namespace dynascope::test
