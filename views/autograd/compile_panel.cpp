// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/compile_panel.h"

namespace dynascope::views {

void CompilePanel::drop() {
    setLoading(false);
    m_session.reset();
    m_compile = -1;
    forget();
}

void CompilePanel::refresh() {
    if (showNothingOpen()) return drop();
    const session::SessionPtr& now = workspace().capture()->session;
    const int compile = workspace().place().compile;
    if (compile < 0) {
        drop();
        showMessage(tr("This capture has no compiled graph."));
        return;
    }
    if (m_session == now && m_compile == compile) return showAgain();
    drop();
    m_session = now;
    m_compile = compile;
    setLoading(true);
    begin(m_session, std::size_t(compile));
}

} // namespace dynascope::views
