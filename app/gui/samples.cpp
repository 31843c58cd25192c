// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::app {

namespace {

struct Known {
    std::string_view name, detail;
};

constexpr std::array known{
    Known{"graph_breaks", "20 compile ids: print, a branch on tensor data, .item(), exec"},
    Known{"view_mutation", "a write to a view, before and after functionalization"},
    Known{"sibling_views", "an oracle case: two views of one tensor, each written"},
    Known{"early_exit", "a recording of Dynamo: a branch on tensor data, instruction by instruction"},
    Known{"recording_tree", "a run of CUDA-graph trees: warm-ups, recordings, what was re-recorded"},
    Known{"encoder_train", "a transformer encoder: joint, forward and backward graphs"},
    Known{"gpt2_train", "one training step of a small GPT-2"},
    Known{"recompiles", "the same function compiled for several shapes and dtypes"},
    Known{"train", "a training step with the optimizer outside the graph"},
};

std::size_t rankOf(const QString& name) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const Known& k) {
        return name == QLatin1String(k.name.data(), qsizetype(k.name.size()));
    });
    return std::size_t(at - known.begin());
}

} // namespace

std::vector<Sample> bundledSamples() {
    const QStringList folders{QCoreApplication::applicationDirPath() +
                                  QStringLiteral("/../share/dynascope/samples"),
                              QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples")};
    std::vector<Sample> samples;
    for (const QString& folder : folders) {
        for (const QFileInfo& file : QDir(folder).entryInfoList(
                 {QStringLiteral("*.log"), QStringLiteral("*.log.gz"), QStringLiteral("*.txt"),
                  QStringLiteral("*.json"), QStringLiteral("*.dsteps")},
                 QDir::Files)) {
            const QString name = file.fileName().section(u'.', 0, 0);
            if (name.compare(QLatin1String("README"), Qt::CaseInsensitive) == 0) continue;
            const std::size_t rank = rankOf(name);
            const QString detail =
                rank < known.size()
                    ? QString::fromUtf8(known[rank].detail.data(), qsizetype(known[rank].detail.size()))
                    : QString();
            samples.push_back({file.absoluteFilePath(), name, detail});
        }
        if (!samples.empty()) break;
    }
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return rankOf(a.title) < rankOf(b.title); });
    return samples;
}

} // namespace dynascope::app
