// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/calling_convention_model.h"

#include "views/workspace/labels.h"

namespace dynascope::views {

namespace {

QString columnText(const computed::ConventionRow& row, int column) {
    const std::string* const texts[] = {nullptr, &row.name, &row.type, &row.what, &row.why};
    static_assert(CallingConventionModel::Name == 1 && CallingConventionModel::Why == 4);
    return column < CallingConventionModel::Name || column > CallingConventionModel::Why
               ? QString()
               : toQString(*texts[column]);
}

} // namespace

CallingConventionModel::CallingConventionModel(QObject* parent)
    : SectionedModel(ColumnCount, parent) {}

void CallingConventionModel::setConvention(computed::CallingConvention convention) {
    beginResetModel();
    m_convention = std::move(convention);
    endResetModel();
}

int CallingConventionModel::rowsIn(int section) const {
    return int(section == Arguments ? m_convention.arguments.size()
               : section == Outputs ? m_convention.outputs.size()
                                    : m_convention.epilogue.size());
}

QString CallingConventionModel::heading(int section) const {
    return toQString(section == Arguments ? computed::argumentsHeading(m_convention)
                     : section == Outputs ? computed::outputsHeading(m_convention)
                                          : computed::epilogueHeading(m_convention));
}

QString CallingConventionModel::tip(const QModelIndex& index) const {
    const auto row = std::size_t(index.row());
    const auto breakTip = [](const std::optional<computed::ForcingBreak>& forced) {
        return forced
                   ? tr("The graph ends at a graph break: %1. The code after it runs outside the graph and "
                        "reads the tensor itself, so it has to hold the new value by then. Click to see "
                        "the break.")
                         .arg(toQString(forced->reason))
                   : QString();
    };
    switch (sectionOf(index)) {
    case Arguments: {
        const computed::OuterArgument& argument = m_convention.arguments[row];
        if (index.column() == Why) return breakTip(argument.forcedBy);
        if (argument.mutation == computed::OuterArgument::Mutation::None && !argument.writtenWith.empty())
            return tr("One write-back changes the memory of both.");
        if (argument.shared)
            return tr(
                "The program changes this input or another one in its memory; all of that memory gets its "
                "new values through this one.");
        return argument.mutation == computed::OuterArgument::Mutation::None
                   ? tr("The program only reads it.")
                   : tr("The program changes it, so the functional graph has to hand its new value back.");
    }
    case Outputs: {
        const computed::ConventionOutput& output = m_convention.outputs[row];
        if (output.user < 0)
            return tr("An output more than the program has: it carries the new value of an input out of the "
                      "graph.");
        return output.memory == computed::ConventionOutput::Memory::Own ||
                       output.memory == computed::ConventionOutput::Memory::Unknown
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
    if (isSection(index)) {
        if (index.column() == 0 && (role == Qt::DisplayRole || role == Qt::AccessibleTextRole))
            return heading(index.row());
        return role == BreakRole ? QVariant(-1) : QVariant();
    }
    const std::size_t section = sectionOf(index);
    const auto row = std::size_t(index.row());
    const computed::OuterArgument* argument = section == Arguments ? &m_convention.arguments[row] : nullptr;
    const computed::ConventionOutput* output = section == Outputs ? &m_convention.outputs[row] : nullptr;
    const computed::EpilogueStep* step = section == Epilogue ? &m_convention.epilogue[row] : nullptr;
    if (!argument && !output && !step) return {};
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Number) return int(row) + (step ? 1 : 0);
        return columnText(argument ? rowOf(*argument)
                          : output ? rowOf(*output)
                                   : rowOf(*step),
                          index.column());
    case Qt::ToolTipRole:
        return tip(index);
    case NodeRole:
        return toQString(argument ? argument->node : output ? output->node : step->node);
    case InResultRole:
        return argument == nullptr;
    case BreakRole: {
        const std::optional<computed::ForcingBreak> forced = argument ? argument->forcedBy
                                                             : step   ? step->forcedBy
                                                                      : std::nullopt;
        return forced ? forced->group : -1;
    }
    case WrittenRole:
        return argument ? argument->mutation != computed::OuterArgument::Mutation::None
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
