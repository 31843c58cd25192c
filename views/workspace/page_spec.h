// SPDX-License-Identifier: BSD-3-Clause
//
// What the window has to know of a page of the centre. Each page writes one down in its own folder
// (breaks_page_spec.cpp); the list of them is app/gui/pages.cpp, and the bar of pages, the menu, the keys,
// the palette, the breadcrumb, saved layouts and --export follow from it.
#pragma once

#include "views/workspace/workspace.h"

#include <QByteArray>
#include <QJsonValue>
#include <QKeySequence>
#include <QString>

class QWidget;

namespace dynascope::views {

class Passes;
class Rederivations;
class ReplayRuns;
class Stepper;
class Theme;

/// What pages are made of. All of it outlives them.
struct PageServices {
    Workspace& workspace;
    Theme& theme;
    Passes& passes;
    Stepper& stepper;
    Rederivations& rederived;
    ReplayRuns& replays;
    /// Where pages come to lie. One that has it for its parent from the start is styled once.
    QWidget* parent = nullptr;
};

/// What a page does besides being a widget, where the defaults are not enough. GUI thread only.
class CentrePage {
public:
    CentrePage() = default;
    CentrePage(const CentrePage&) = delete;
    CentrePage& operator=(const CentrePage&) = delete;
    virtual ~CentrePage() = default;

    /// Sizes of DESIGN_LANGUAGE for a window of this width in pixels, as before anybody moved anything.
    virtual void applyDefaultSizes(int windowWidth) { static_cast<void>(windowWidth); }
    /// Nothing on it will change by itself. Tasks of the workspace's TaskRunner are asked for elsewhere.
    [[nodiscard]] virtual bool isSettled() const { return true; }
    /// For restoreState() in another run of the program; empty where there is nothing to keep.
    [[nodiscard]] virtual QByteArray saveState() const { return {}; }
    /// Nothing happens where `state` is of another version, or is damaged.
    virtual void restoreState(const QByteArray& state) { static_cast<void>(state); }
};

/// Takes the pictures of --export. Each is taken once nothing on screen will change by itself.
class PagePictures {
public:
    PagePictures() = default;
    PagePictures(const PagePictures&) = delete;
    PagePictures& operator=(const PagePictures&) = delete;
    virtual ~PagePictures() = default;

    [[nodiscard]] virtual Workspace& workspace() = 0;
    [[nodiscard]] virtual QWidget& page() = 0; ///< the one that is shown
    virtual void take(const QString& name) = 0;
    virtual void takeInBothLooks(const QString& name) = 0; ///< "NAME-dark", "NAME-light"
};

struct PageSpec {
    /// What it shows of: how much of the path the breadcrumb names.
    enum class About { Capture, Rank, Compile };

    Page page{};
    /// Of session files, settings and its action ("go.breaks"); never changed.
    const char* name = "";
    QString title; ///< sentence case, a word or two
    const char* icon = "";
    QKeySequence key;
    QString tip;             ///< one sentence without a full stop
    const char* manual = ""; ///< the page of docs/manual that explains it
    /// What the current capture lacks for it, such as "needs compiled graphs"; empty where it can be shown.
    /// Asked only while a capture is open.
    QString (*lacks)(const Workspace& workspace) = nullptr;
    /// A widget that is a CentrePage as well.
    QWidget* (*make)(const PageServices& services) = nullptr;
    About about = About::Compile;
    bool inPath = true;       ///< the path ends with its title
    bool fillsWindow = false; ///< has lists of its own, and leaves no room for the capture's tree
    bool isRestored = true;   ///< a session file brings the reader back to it
    /// Where in it a reader begins who names no part of it; may say nothing.
    PagePlaces start;
    /// Where in it the reader is, as session files keep it: an entry of this name, never changed; empty for
    /// pages without a place of their own.
    const char* placeName = "";
    /// Of the current place, which is on the page; null for nothing to keep.
    QJsonValue (*savePlace)(const Workspace& workspace) = nullptr;
    /// Leads a place, which is on the page, to what was kept. Where that is not there, or is damaged, the
    /// place may be led to another page.
    void (*restorePlace)(const OpenCapture& capture, const QJsonValue& saved, Place& place) = nullptr;
    /// Its pictures for --export, if any; `place` is of it, in the capture that is exported.
    void (*pictures)(PagePictures& pictures, const Place& place) = nullptr;
};

} // namespace dynascope::views
