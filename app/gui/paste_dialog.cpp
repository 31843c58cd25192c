// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/paste_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::app {

PasteDialog::PasteDialog(views::Theme& theme, const QString& text, QWidget* parent)
    : QDialog(parent)
    , m_text(new QPlainTextEdit(this)) {
    setWindowTitle(tr("Paste graph"));
    resize(theme.scaled(720), theme.scaled(460));
    auto* hint = new QLabel(
        tr("str(gm.graph), print_readable() or a log that holds them. Prose around a graph and lost "
           "indentation are fine; several graphs become several stages."),
        this);
    hint->setWordWrap(true);
    hint->setProperty("role", "label");
    m_text->setProperty("box", "field");
    m_text->setFont(theme.font(views::FontRole::Code));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setPlainText(text);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    QPushButton* open = buttons->button(QDialogButtonBox::Open);
    open->setDefault(true);
    const auto enable = [this, open] { open->setEnabled(!m_text->document()->isEmpty()); };
    connect(m_text, &QPlainTextEdit::textChanged, this, enable);
    enable();
    auto* box = new QVBoxLayout(this);
    box->addWidget(hint);
    box->addWidget(m_text, 1);
    box->addWidget(buttons);
    m_text->setFocus();
}

QString PasteDialog::text() const {
    return m_text->toPlainText();
}

} // namespace dynascope::app
