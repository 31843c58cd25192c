// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_page_private.h"

#include "core/profile/figures.h"
#include "core/profile/shown_profile.h"
#include "views/workspace/break_place.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"
#include "views/workspace/panel_id.h"
#include "views/workspace/task_runner.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using profile::By;

const QString tag = QStringLiteral("profile");

/// The group of the break that ended a compile's graph; -1 for none.
int groupOfLastBreak(const Workspace::Capture& capture, std::size_t compile) {
    const session::Compile& broken = capture.session->compiles[compile];
    const auto breaks = broken.finalBreaks();
    if (breaks.empty()) return -1;
    return breakGroupOf(capture, compile, std::size_t(breaks.back() - broken.breaks.data()));
}

} // namespace

ProfilePage::ProfilePage(Workspace& workspace, Theme& theme, Engine* engine, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->figures = new FigureRow;
    column->addWidget(d->figures);
    auto* parts = d->parts = new QSplitter(Qt::Vertical);
    connect(parts, &QSplitter::splitterMoved, this, [this] { d->moved = true; });
    parts->setChildrenCollapsible(false);
    parts->addWidget(makeLanes());
    auto* below = new QWidget;
    auto* rows = new QVBoxLayout(below);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    QHBoxLayout* row = nullptr;
    rows->addWidget(headerBar(row));
    const auto box = [&](const QString& name) {
        auto* out = new QComboBox;
        out->setAccessibleName(name);
        out->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(out);
        return out;
    };
    row->addWidget(plainLabel(tr("Time by"), "label"));
    d->by = box(tr("Time by"));
    d->by->setObjectName(QStringLiteral("profile.by"));
    for (const std::string_view name : profile::byNames)
        d->by->addItem(toQString(name));
    row->addWidget(plainLabel(tr("of"), "label"));
    d->steps = box(tr("Steps"));
    d->steps->setObjectName(QStringLiteral("profile.steps"));
    d->devices = box(tr("Device"));
    d->devices->setObjectName(QStringLiteral("profile.devices"));
    d->devices->setToolTip(tr("Rows of one device alone; shares are then of the time that it was busy"));
    d->profiles = box(tr("Profile"));
    d->profiles->setObjectName(QStringLiteral("profile.profiles"));
    d->against = box(tr("Held against"));
    d->against->setObjectName(QStringLiteral("profile.against"));
    d->against->setToolTip(tr("Another profile, as B beside this one: what it is slower and faster at"));
    row->addStretch(1);
    d->showRoofline = new QToolButton;
    d->showRoofline->setObjectName(QStringLiteral("profile.showRoofline"));
    d->showRoofline->setText(tr("Roofline"));
    d->showRoofline->setCheckable(true);
    d->showRoofline->setToolTip(
        tr("Rows by FLOP per byte and by what they achieve, below the machine's roofs"));
    row->addWidget(d->showRoofline);
    d->showIdle = new QToolButton;
    d->showIdle->setObjectName(QStringLiteral("profile.showIdle"));
    d->showIdle->setText(tr("Idle"));
    d->showIdle->setCheckable(true);
    d->showIdle->setToolTip(
        tr("When the GPU had nothing to do, what the CPU did meanwhile, and the graphs that a CUDA "
           "graph would help"));
    row->addWidget(d->showIdle);
    d->table = new RowTable(tr("Run time"), profileColumns(), theme);
    d->table->setObjectName(QStringLiteral("profile.table"));
    d->table->setEmptyText(tr("No row has this in it."));
    d->filter = addFilter(tr("Filter rows"), d->table);
    d->filter->setObjectName(QStringLiteral("profile.filter"));
    row->addWidget(d->filter);
    d->rows = new QSplitter(Qt::Horizontal);
    d->rows->setChildrenCollapsible(false);
    d->rows->addWidget(d->table);
    d->roofline = new ProfileRoofline(theme, engine);
    d->rows->addWidget(d->roofline);
    d->idle = new ProfileIdle(theme);
    d->rows->addWidget(d->idle);
    d->rows->setStretchFactor(0, 1);
    d->rows->setSizes({theme.scaled(800), theme.scaled(430), theme.scaled(620)});
    rows->addWidget(d->rows, 1);
    d->beside = new ProfileAgainst(theme);
    d->beside->hide();
    rows->addWidget(d->beside, 1);
    parts->addWidget(below);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    column->addWidget(parts, 1);
    setContent(page);
    setFocusProxy(d->table);

    connect(d->profiles, &QComboBox::activated, this, &ProfilePage::readAnew);
    connect(d->steps, &QComboBox::activated, this, &ProfilePage::ask);
    connect(d->by, &QComboBox::activated, this, [this] {
        d->byIsChosen = true;
        ask();
    });
    connect(d->devices, &QComboBox::activated, this, [this] {
        showRows(); // at once; the figures come from a worker
        ask();
    });
    connect(d->filter, &QLineEdit::textChanged, this, &ProfilePage::showRows);
    connect(d->table, &RowTable::rowActivated, this,
            [this](int at) { follow(at, int(ProfileColumn::What)); });
    connect(d->table, &RowTable::linkActivated, this, &ProfilePage::follow);
    connect(d->table, &RowTable::rowSelected, this, [this](int at) {
        d->lanes->select(profile::none);
        d->roofline->view()->select(at);
        lightRow(at);
    });
    connectLanes();
    addCopyRows(d->table);
    connectAgainst();
    connectRoofline();
    connectIdle();
    connect(&workspace, &Workspace::placeChanged, this, &ProfilePage::invalidate);
    connect(&workspace, &Workspace::captureReplaced, this, &ProfilePage::invalidate);
}

ProfilePage::~ProfilePage() = default;

QWidget* ProfilePage::makeLanes() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->addWidget(plainLabel(tr("Over time"), "strong"));
    d->note = plainLabel({}, "label");
    row->addWidget(d->note);
    row->addStretch(1);
    d->legend = new LanesLegend(theme());
    row->addWidget(d->legend);
    d->lanes = new LanesView(theme());
    column->addWidget(d->lanes, 1);
    return box;
}

void ProfilePage::connectLanes() {
    connect(d->lanes, &LanesView::selectionChanged, this, [this](std::uint32_t event) {
        const int at = rowOfEvent(event);
        d->table->select(at);
        if (at >= 0) d->table->scrollTo(d->table->currentIndex());
        d->roofline->view()->select(at);
        lightRow(at);
    });
    connect(d->lanes, &LanesView::activated, this, [this](std::uint32_t event) {
        const std::uint32_t row = d->shown.profile->joined->rowOf[event];
        if (row != profile::none) goTo(d->shown.links[row], int(ProfileColumn::What));
    });
    connect(d->lanes, &LanesView::breakActivated, this, [this](int compile) {
        ProfileLink link;
        link.compile = compile;
        link.isBreak = true;
        goTo(link, int(ProfileColumn::What));
    });
}

/// Of the table; -1 where no row that is shown has it.
int ProfilePage::rowOfEvent(std::uint32_t event) const {
    if (event == profile::none || !d->shown.profile) return -1;
    const std::uint32_t row = d->shown.profile->joined->rowOf[event];
    for (std::size_t i = 0; i < d->numbers.size(); ++i)
        if (std::ranges::binary_search(d->shown.rows[std::size_t(d->numbers[i])].row.rows, row))
            return int(i);
    return -1;
}

void ProfilePage::lightRow(int at) {
    d->lanes->light(at < 0 ? std::vector<std::uint32_t>()
                           : d->shown.rows[std::size_t(d->numbers[std::size_t(at)])].row.rows);
}

void ProfilePage::forget() {
    workspace().tasks().cancel(tag);
    workspace().profiles().cancel(this);
    workspace().profiles().cancel(d->against);
    setLoading(false);
    d->session.reset();
    d->shown = {};
    d->otherProfile.reset();
    d->beside->show(nullptr, By::Node, {}, {});
    d->table->setRows({});
    d->lanes->setLanes(nullptr);
    d->idle->clear();
}

void ProfilePage::refresh() {
    if (showNothingOpen()) return forget();
    const session::SessionPtr session = workspace().capture()->session;
    if (session->profiles.empty()) {
        forget();
        return showMessage(
            tr("No profile was opened with this capture. export_chrome_trace() of torch.profiler "
               "writes one: drop it here, or put it into the folder of the trace and open the folder."));
    }
    showContent();
    if (d->session == session) return;
    forget();
    d->session = session;
    // Where there is no graph, its nodes would be one row.
    if (!d->byIsChosen) d->by->setCurrentIndex(int(session->compiles.empty() ? By::Operator : By::Node));
    d->profiles->clear();
    for (const auto& one : session::attachedAs<profile::Profile>(session->profiles))
        d->profiles->addItem(fileName(one->path));
    d->profiles->setVisible(session->profiles.size() > 1);
    d->profiles->setCurrentIndex(profile::shownProfile(*session));
    readAnew();
}

void ProfilePage::readAnew() {
    d->shown = {};
    listOthers();
    const profile::Profile& profile = *session::attachedAs<profile::Profile>(
        d->session->profiles[std::size_t(d->profiles->currentIndex())]);
    d->steps->clear();
    d->steps->addItem(profile.steps.empty() ? tr("the whole profile") : tr("all steps"));
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < std::min(most, profile.steps.size()); ++i)
        d->steps->addItem(tr("step %1, %2").arg(i + 1).arg(profileTime(double(profile.steps[i].duration))));
    d->devices->clear();
    d->devices->addItem(tr("all devices"));
    for (const std::string& device : profile.devices)
        d->devices->addItem(toQString(device));
    d->devices->setVisible(profile.devices.size() > 1);
    d->devices->setCurrentIndex(profile::mainGpu(profile) + 1);
    ask();
}

void ProfilePage::ask() {
    setLoading(true);
    workspace().tasks().cancel(tag);
    if (d->other.session && !d->otherProfile)
        return workspace().profiles().ask(d->other.session, d->other.number, d->against,
                                          [this](const Result<JoinedProfilePtr>& profile) {
                                              if (!profile) return showFault(profile.error());
                                              d->otherProfile = *profile;
                                              ask();
                                          });
    if (d->shown.profile) return group(d->shown.profile);
    workspace().profiles().ask(d->session, d->profiles->currentIndex(), this,
                               [this](const Result<JoinedProfilePtr>& profile) {
                                   if (!profile) return showFault(profile.error());
                                   group(*profile);
                               });
}

void ProfilePage::group(const JoinedProfilePtr& profile) {
    const int step = d->steps->currentIndex() <= 0 ? profile::allSteps : d->steps->currentIndex() - 1;
    workspace().tasks().run<Shown>(
        tag, this,
        [profile, by = By(d->by->currentIndex()), step, device = d->device(), lanes = d->shown.lanes,
         links = d->shown.links, idle = d->shown.idle, idleGraphs = d->shown.idleGraphs,
         other = d->otherProfile](const TaskContext& task) {
            Shown out;
            out.profile = profile;
            if (other) out.compared = compareProfiles(profile, other, by);
            const std::lock_guard lock(profile->mutex);
            out.rows = profileRows(*profile, by, step);
            out.shares = sharesOf(*profile->facts, step, device);
            out.everywhere = sharesOf(*profile->facts, step);
            out.lanes = lanes ? lanes : profileLanes(*profile, task);
            if (!out.lanes) return Shown();
            out.links = lanes ? links : rowLinks(*profile);
            out.idle = idle ? idle : std::make_shared<profile::IdleReport>(idleReport(*profile->joined));
            out.idleGraphs = idle ? idleGraphs : views::idleGraphs(*profile, *out.idle);
            return out;
        },
        [this](Shown shown) { take(std::move(shown)); });
}

void ProfilePage::take(Shown shown) {
    setLoading(false);
    if (!shown.profile) return; // cancelled
    d->shown = std::move(shown);
    showFigures();
    showRows();
    showLanes();
    showIdle();
    showAgainst();
}

void ProfilePage::showLanes() {
    const bool other = d->lanes->lanes() != d->shown.lanes;
    d->lanes->setLanes(d->shown.lanes);
    const int step = d->steps->currentIndex() - 1;
    if (other || step != d->shownStep) d->lanes->setStep(step < 0 ? profile::allSteps : step);
    d->shownStep = step;
    if (other && !d->moved) { // no higher than they need, and half the page at most
        const int whole = d->parts->height(), least = theme().scaled(120);
        const int high = std::max(least, std::min(d->lanes->wholeHeight() + theme().scaled(36), whole / 2));
        d->parts->setSizes({high, std::max(whole - high, least)});
    }
    const profile::Joined& joined = *d->shown.profile->joined;
    QStringList note;
    if (!joined.profile->steps.empty())
        note << (step < 0 ? countText(joined.profile->steps.size(), tr("step"), tr("steps"))
                          : d->steps->currentText());
    const int device = d->device();
    note << (device == profile::everyDevice
                 ? tr("%1 joined").arg(toQString(profile::shareText(joined.share())))
                 : tr("%1 of %2 joined")
                       .arg(toQString(
                                profile::shareText(joined.joinedOn[std::size_t(device)] /
                                                   std::max(joined.profile->busy[std::size_t(device)], 1.0))),
                            d->devices->currentText()));
    if (const std::string doubt = joinDoubt(joined); !doubt.empty()) note << toQString(doubt);
    d->note->setText(note.join(QStringLiteral(", ")));
    std::vector<profile::Spent> spent;
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        if (d->shown.everywhere.time[i] > 0) spent.push_back(profile::Spent(i));
    d->legend->setSpent(std::move(spent));
}

void ProfilePage::restyle() {
    if (d->shown.profile) showFigures();
}

void ProfilePage::showRows() {
    d->beside->setFilter(d->filter->text());
    if (!d->shown.profile) return;
    const profile::Joined& joined = *d->shown.profile->joined;
    d->table->setColumnHidden(int(ProfileColumn::Saveable), !d->roofline->peaks());
    d->table->setRows(
        tableRows(joined, d->shown.rows, d->filter->text(), d->numbers, d->roofline->peaks(), d->device()));
    d->roofline->show(joined, d->shown.rows, d->numbers);
    d->roofline->view()->select(d->table->selected());
}

void ProfilePage::follow(int row, int column) {
    if (row < 0 || std::size_t(row) >= d->numbers.size()) return;
    goTo(d->shown.rows[std::size_t(d->numbers[std::size_t(row)])].link, column);
}

void ProfilePage::goTo(const ProfileLink& link, int column) {
    if (link.compile < 0) return;
    const auto compile = std::size_t(link.compile);
    if (link.isBreak) {
        Place place = workspace().place();
        setBreak(place, groupOfLastBreak(*workspace().capture(), compile));
        return workspace().go(place);
    }
    if (column == int(ProfileColumn::Kernel) && link.code) return goToStage(workspace(), compile, link.code);
    if (column == int(ProfileColumn::Line) && link.line.line > 0 && link.graph)
        return goToLine(workspace(), compile, link.graph, link.node, link.line);
    if (link.graph) return goToStage(workspace(), compile, link.graph, link.node);
    if (link.code) return goToStage(workspace(), compile, link.code);
    Place place = workspace().place();
    place.page = Page::Stages;
    place.compile = link.compile;
    workspace().go(place);
}

} // namespace dynascope::views
