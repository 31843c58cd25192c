// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/calling_convention_model.h"

#include "views/models/labels.h"

namespace dynascope::views {

namespace {

/// A heading has no parent row; others carry their heading's number, from 1.
constexpr quintptr headingId = 0;

QString whyText(const std::optional<ForcingBreak>& forced, const QString& otherwise) {
    if (!forced) return otherwise;
    QString text = forced->text();
    if (!forced->resumed.isEmpty()) text += QStringLiteral(": ") + forced->resumed;
    return text;
}

} // namespace

void CallingConventionModel::setConvention(CallingConvention convention) {
    beginResetModel();
    m_convention = std::move(convention);
    endResetModel();
}

std::size_t CallingConventionModel::countOf(int section) const {
    return section == Arguments ? m_convention.arguments.size()
           : section == Outputs ? m_convention.outputs.size()
                                : m_convention.epilogue.size();
}

QModelIndex CallingConventionModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : headingId);
}

QModelIndex CallingConventionModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == headingId) return {};
    return createIndex(int(child.internalId()) - 1, 0, headingId);
}

int CallingConventionModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return SectionCount;
    return parent.internalId() == headingId && parent.column() == 0 ? int(countOf(parent.row())) : 0;
}

int CallingConventionModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QString CallingConventionModel::heading(int section) const {
    const auto count = qulonglong(countOf(section));
    if (section == Arguments) {
        qulonglong written = 0;
        for (const OuterArgument& argument : m_convention.arguments)
            written += argument.mutation != OuterArgument::Mutation::None;
        return written == 0
                   ? tr("%1, none written").arg(countText(count, tr("outer argument"), tr("outer arguments")))
                   : tr("%1, %2 written")
                         .arg(countText(count, tr("outer argument"), tr("outer arguments")))
                         .arg(written);
    }
    if (section == Outputs) {
        qulonglong users = 0;
        for (const ConventionOutput& output : m_convention.outputs)
            users += output.user >= 0;
        QString text = countText(count, tr("output of the graph"), tr("outputs of the graph"));
        if (users < count)
            text += tr(": new values of inputs first, then %1 for the user").arg(numberText(users));
        return text;
    }
    if (count == 0) return tr("No epilogue: nothing has to be written back");
    const QString steps = countText(count, tr("epilogue step"), tr("epilogue steps"));
    return m_convention.callerWritesBack ? tr("%1, by the caller after the graph").arg(steps)
                                         : tr("%1, in the graph before it returns").arg(steps);
}

QString CallingConventionModel::argumentText(const OuterArgument& argument, int column) const {
    using Mutation = OuterArgument::Mutation;
    switch (column) {
    case Name:
        return toQString(argument.node);
    case Type:
        return argument.type;
    case What:
        if (argument.mutation == Mutation::None && !argument.writtenWith.empty())
            return tr("shares memory with %1").arg(toQString(argument.writtenWith));
        return argument.mutation == Mutation::None       ? tr("read")
               : argument.shared                         ? tr("its memory is written")
               : argument.mutation == Mutation::Data     ? tr("written")
               : argument.mutation == Mutation::Geometry ? tr("gets another geometry")
                                                         : tr("written, gets another geometry");
    case Why:
        if (argument.mutation == Mutation::None)
            return argument.writtenWith.empty() ? QString()
                                                : tr("lies in the memory of %1, which is written back")
                                                      .arg(toQString(argument.writtenWith));
        return tr("%1 written back, %2")
            .arg(bytesText(argument.bytes),
                 whyText(argument.forcedBy, tr("for the caller, who owns the tensor")));
    default:
        return {};
    }
}

QString CallingConventionModel::outputText(const ConventionOutput& output, int column) const {
    using Memory = ConventionOutput::Memory;
    switch (column) {
    case Name:
        return toQString(output.node);
    case Type:
        return output.type;
    case What:
        return output.user < 0 ? tr("new value of %1").arg(toQString(output.writtenTo))
                               : tr("user result %1").arg(output.user);
    case Why:
        if (output.user < 0) return tr("the user never sees it");
        switch (output.memory) {
        case Memory::Own:
            return tr("memory of its own");
        case Memory::AliasOfInput:
            return tr("in eager an alias of input %1").arg(toQString(output.with));
        case Memory::IsInput:
            return tr("in eager input %1 itself").arg(toQString(output.with));
        case Memory::SameAsOutput:
            return tr("in eager it shares memory with %1").arg(toQString(output.with));
        case Memory::Unknown:
            break;
        }
        return {};
    default:
        return {};
    }
}

QString CallingConventionModel::stepText(const EpilogueStep& step, int column) const {
    switch (column) {
    case Name: {
        const QString value = step.output >= 0 ? tr("output %1").arg(step.output) : toQString(step.value);
        const QString input = toQString(step.input);
        return QStringLiteral("%1.%2(%3)")
            .arg(step.wholeStorage ? tr("storage of %1").arg(input) : input, toQString(step.operation),
                 value);
    }
    case Type:
        return step.bytes > 0 ? bytesText(step.bytes) : QString();
    case What:
        if (!step.sharedWith.empty()) {
            QStringList names;
            for (const std::string& name : step.sharedWith)
                names << toQString(name);
            return tr("new values of the memory that %1 has too").arg(names.join(QStringLiteral(", ")));
        }
        return step.operation == "copy_" ? tr("new values") : tr("new geometry");
    case Why:
        return whyText(step.forcedBy, tr("for the caller, who owns the tensor"));
    default:
        return {};
    }
}

QString CallingConventionModel::tip(const QModelIndex& index) const {
    const auto row = std::size_t(index.row());
    const auto breakTip = [](const std::optional<ForcingBreak>& forced) {
        return forced
                   ? tr("The graph ends at a graph break: %1. The code after it runs outside the graph and "
                        "reads the tensor itself, so it has to hold the new value by then. Click to see "
                        "the break.")
                         .arg(forced->reason)
                   : QString();
    };
    switch (int(index.internalId()) - 1) {
    case Arguments: {
        const OuterArgument& argument = m_convention.arguments[row];
        if (index.column() == Why) return breakTip(argument.forcedBy);
        if (argument.mutation == OuterArgument::Mutation::None && !argument.writtenWith.empty())
            return tr("One write-back changes the memory of both.");
        if (argument.shared)
            return tr(
                "The program changes this input or another one in its memory; all of that memory gets its "
                "new values through this one.");
        return argument.mutation == OuterArgument::Mutation::None
                   ? tr("The program only reads it.")
                   : tr("The program changes it, so the functional graph has to hand its new value back.");
    }
    case Outputs: {
        const ConventionOutput& output = m_convention.outputs[row];
        if (output.user < 0)
            return tr("An output more than the program has: it carries the new value of an input out of the "
                      "graph.");
        return output.memory == ConventionOutput::Memory::Own ||
                       output.memory == ConventionOutput::Memory::Unknown
                   ? QString()
                   : tr("A functional graph returns a tensor of its own here. AOTAutograd makes the alias "
                        "again after the call.");
    }
    case Epilogue:
        if (index.column() == Why) return breakTip(m_convention.epilogue[row].forcedBy);
        return m_convention.callerWritesBack
                   ? tr("The graph stays free of writes; whoever calls it does this with its outputs.")
                   : tr("The only writes that the graph keeps: they come after everything else.");
    default:
        return {};
    }
}

QVariant CallingConventionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (index.internalId() == headingId) {
        if (index.column() == 0 && (role == Qt::DisplayRole || role == Qt::AccessibleTextRole))
            return heading(index.row());
        return role == BreakRole ? QVariant(-1) : QVariant();
    }
    const int section = int(index.internalId()) - 1;
    const auto row = std::size_t(index.row());
    const OuterArgument* argument = section == Arguments ? &m_convention.arguments[row] : nullptr;
    const ConventionOutput* output = section == Outputs ? &m_convention.outputs[row] : nullptr;
    const EpilogueStep* step = section == Epilogue ? &m_convention.epilogue[row] : nullptr;
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Number) return int(row) + (step ? 1 : 0);
        return argument ? argumentText(*argument, index.column())
               : output ? outputText(*output, index.column())
                        : stepText(*step, index.column());
    case Qt::ToolTipRole:
        return tip(index);
    case NodeRole:
        return toQString(argument ? argument->node : output ? output->node : step->node);
    case InResultRole:
        return argument == nullptr;
    case BreakRole: {
        const std::optional<ForcingBreak> forced = argument ? argument->forcedBy
                                                   : step   ? step->forcedBy
                                                            : std::nullopt;
        return forced ? forced->group : -1;
    }
    case WrittenRole:
        return argument ? argument->mutation != OuterArgument::Mutation::None
               : output ? output->user < 0
                        : true;
    default:
        return {};
    }
}

QVariant CallingConventionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Number:
        return tr("#");
    case Name:
        return tr("Name");
    case Type:
        return tr("Type or size");
    case What:
        return tr("What it is");
    case Why:
        return tr("Why, and what memory");
    default:
        return {};
    }
}

} // namespace dynascope::views
