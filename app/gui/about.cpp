// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/about.h"

#include "core/engine/wire/methods.h"
#include "views/engine/engine.h"
#include "views/workspace/labels.h"

namespace dynascope::app {

using namespace views;
using wire::EnvironmentReply;
using EnvironmentAnswer = engine::Answer<EnvironmentReply>;

namespace {

QString cudaLine(const wire::CudaPresence& cuda) {
    if (!cuda.status) return Engine::tr("CUDA: not used. %1").arg(toQString(cuda.pluginProblem));
    const wire::CudaStatus& status = *cuda.status;
    QStringList parts;
    if (!status.driver.empty()) parts << Engine::tr("driver %1").arg(toQString(status.driver));
    if (!status.cupti.empty()) parts << Engine::tr("CUPTI %1").arg(toQString(status.cupti));
    for (const auto& device : status.devices)
        parts << Engine::tr("%1, %2, compute capability %3")
                     .arg(toQString(device.name), bytesText(device.bytes), toQString(device.capability));
    if (!status.problem.empty()) parts << toQString(status.problem);
    return Engine::tr("CUDA: %1").arg(parts.join(QStringLiteral("; ")));
}

} // namespace

QString versionLines(const EnvironmentAnswer* answer, const QString& noEngine) {
    QStringList out{Engine::tr("Qt %1").arg(QLatin1String(qVersion()))};
    if (!noEngine.isEmpty())
        out << Engine::tr("LibTorch: %1").arg(noEngine);
    else if (!answer)
        out << Engine::tr("LibTorch: the engine is asked");
    else if (!*answer)
        out << Engine::tr("LibTorch: the engine does not answer. %1").arg(toQString(answer->error().message));
    else
        out << Engine::tr("LibTorch %1").arg(toQString((*answer)->torch)) << cudaLine((*answer)->cuda);
    return out.join(u'\n');
}

QMessageBox* openAbout(Engine& engine, QWidget& parent) {
    auto* box = new QMessageBox(&parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(Engine::tr("About Dynascope"));
    box->setTextFormat(Qt::PlainText);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setText(
        Engine::tr("Dynascope %1\nA debugger for PyTorch's compiler.").arg(QLatin1String(DYNASCOPE_VERSION)));
    const auto tell = [box](const EnvironmentAnswer* answer, const QString& noEngine) {
        box->setInformativeText(
            versionLines(answer, noEngine) + QStringLiteral("\n\n") +
            Engine::tr("Source under BSD-3-Clause. Qt 6 under the LGPL-3; the fonts Inter and "
                       "JetBrains Mono under the SIL Open Font License 1.1."));
    };
    const bool absent = engine.state() == Engine::State::Absent;
    tell(nullptr, absent ? engine.trouble() : QString());
    if (!absent)
        engine.run<EnvironmentReply>(
            QStringLiteral("about"), Engine::tr("its versions"), box,
            [](engine::Client& client, const engine::CallOptions& options) {
                return client.environment(options);
            },
            [tell](const EnvironmentAnswer& answer) { tell(&answer, {}); });
    box->open();
    return box;
}

} // namespace dynascope::app
