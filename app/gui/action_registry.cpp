// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/action_registry.h"

#include <QStringList>

namespace dynascope::app {

QString scopeName(Scope scope) {
    switch (scope) {
    case Scope::Window:
        return ActionRegistry::tr("Everywhere");
    case Scope::Canvas:
        return ActionRegistry::tr("In a canvas");
    case Scope::Timeline:
        return ActionRegistry::tr("In the timeline");
    case Scope::FlameChart:
        return ActionRegistry::tr("In the flame chart of compile time");
    case Scope::ProfileLanes:
        return ActionRegistry::tr("In the lanes of a profile");
    case Scope::RecordingTree:
        return ActionRegistry::tr("In a recording tree");
    case Scope::Cut:
        return ActionRegistry::tr("In the cut of a joint graph");
    case Scope::Dynamo:
        return ActionRegistry::tr("Recording of Dynamo");
    case Scope::CallingConvention:
        return ActionRegistry::tr("In a calling convention");
    case Scope::Palette:
        return ActionRegistry::tr("In the palette");
    case Scope::List:
        return ActionRegistry::tr("In a list or panel");
    }
    return {};
}

namespace {

QString tipOf(const ActionSpec& spec) {
    return spec.tip.isEmpty() ? QString(spec.text).remove(QStringLiteral("...")) : spec.tip;
}

QString tipWithKey(const ActionSpec& spec) {
    if (spec.keys.isEmpty()) return tipOf(spec);
    return tipOf(spec) + QStringLiteral("  (%1)").arg(spec.keys.first().toString(QKeySequence::NativeText));
}

} // namespace

ActionRegistry::ActionRegistry(QObject* parent)
    : QObject(parent) {}

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run) {
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.keys);
    action->setCheckable(spec.checkable);
    action->setShortcutContext(spec.scope == Scope::Window ? Qt::WindowShortcut
                                                           : Qt::WidgetWithChildrenShortcut);
    action->setStatusTip(tipOf(spec));
    action->setToolTip(tipWithKey(spec));
    if (run) connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_entries.push_back({spec, action, {}});
    return action;
}

QAction* ActionRegistry::addToggle(ActionSpec spec, std::function<void(bool)> run) {
    spec.checkable = true;
    QAction* action = add(spec, {});
    connect(action, &QAction::triggered, this, [run = std::move(run)](bool on) { run(on); });
    return action;
}

void ActionRegistry::setEnabled(const QString& id, bool enabled, const QString& why) {
    for (Entry& entry : m_entries) {
        if (!entry.action || entry.spec.id != id) continue;
        entry.needs = enabled ? QString() : why;
        entry.action->setEnabled(enabled);
        entry.action->setToolTip(tipWithKey(entry.spec) +
                                 (entry.needs.isEmpty() ? QString() : QLatin1Char('\n') + entry.needs));
    }
}

void ActionRegistry::document(Scope scope, const QKeySequence& key, const QString& text) {
    ActionSpec spec;
    spec.text = text;
    spec.keys = {key};
    spec.scope = scope;
    m_entries.push_back({spec, nullptr, {}});
}

QAction* ActionRegistry::find(const QString& id) const {
    for (const Entry& entry : m_entries)
        if (entry.action && entry.spec.id == id) return entry.action;
    return nullptr;
}

void ActionRegistry::trigger(const QString& id) const {
    if (QAction* action = find(id); action && action->isEnabled()) action->trigger();
}

} // namespace dynascope::app
