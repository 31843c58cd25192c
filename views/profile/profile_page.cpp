// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_page.h"

#include "core/profile/shown_profile.h"
#include "views/base/page_parts.h"
#include "views/profile/lanes_legend.h"
#include "views/profile/lanes_view.h"
#include "views/profile/profile_rows.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"
#include "views/workspace/panel_id.h"
#include "views/workspace/task_runner.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using profile::By;

const QString tag = QStringLiteral("profile");

} // namespace

/// What the worker made.
struct ProfilePage::Shown {
    std::shared_ptr<JoinedProfile> profile;
    std::vector<ProfileRow> rows;
    profile::Shares shares;
    ProfileLanesPtr lanes;
    std::vector<ProfileLink> links; ///< by row of the joined profile
};

struct ProfilePage::Private {
    FigureRow* figures = nullptr;
    QComboBox *profiles = nullptr, *steps = nullptr, *by = nullptr;
    QLineEdit* filter = nullptr;
    RowTable* table = nullptr;
    LanesView* lanes = nullptr;
    LanesLegend* legend = nullptr;
    QSplitter* parts = nullptr;
    bool moved = false;     ///< the reader set how high the lanes are
    QLabel* note = nullptr; ///< beside the lanes' title
    session::SessionPtr session;
    Shown shown;
    int shownStep = -1;       ///< that the lanes were turned to
    std::vector<int> numbers; ///< of the table's rows in shown.rows
};

ProfilePage::ProfilePage(Workspace& workspace, Theme& theme, QWidget* parent)
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
    for (const std::string_view name : profile::byNames)
        d->by->addItem(toQString(name));
    row->addWidget(plainLabel(tr("of"), "label"));
    d->steps = box(tr("Steps"));
    d->profiles = box(tr("Profile"));
    row->addStretch(1);
    d->table = new RowTable(tr("Run time"), profileColumns(), theme);
    d->table->setEmptyText(tr("No row has this in it."));
    d->filter = addFilter(tr("Filter rows"), d->table);
    row->addWidget(d->filter);
    rows->addWidget(d->table, 1);
    parts->addWidget(below);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    column->addWidget(parts, 1);
    setContent(page);
    setFocusProxy(d->table);

    connect(d->profiles, &QComboBox::activated, this, &ProfilePage::readAnew);
    connect(d->steps, &QComboBox::activated, this, &ProfilePage::ask);
    connect(d->by, &QComboBox::activated, this, &ProfilePage::ask);
    connect(d->filter, &QLineEdit::textChanged, this, &ProfilePage::showRows);
    connect(d->table, &RowTable::rowActivated, this,
            [this](int at) { follow(at, int(ProfileColumn::What)); });
    connect(d->table, &RowTable::linkActivated, this, &ProfilePage::follow);
    connect(d->table, &RowTable::rowSelected, this, [this](int at) {
        d->lanes->select(profile::none);
        lightRow(at);
    });
    connectLanes();
    addCopyRows(d->table);
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

LanesView* ProfilePage::lanes() const {
    return d->lanes;
}

RowTable* ProfilePage::table() const {
    return d->table;
}
FigureRow* ProfilePage::figures() const {
    return d->figures;
}
QComboBox* ProfilePage::profiles() const {
    return d->profiles;
}
QComboBox* ProfilePage::steps() const {
    return d->steps;
}
QComboBox* ProfilePage::by() const {
    return d->by;
}

void ProfilePage::forget() {
    workspace().tasks().cancel(tag);
    setLoading(false);
    d->session.reset();
    d->shown = {};
    d->table->setRows({});
    d->lanes->setLanes(nullptr);
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
    d->profiles->clear();
    for (const auto& one : session::attachedAs<profile::Profile>(session->profiles))
        d->profiles->addItem(fileName(one->path));
    d->profiles->setVisible(session->profiles.size() > 1);
    d->profiles->setCurrentIndex(profile::shownProfile(*session));
    readAnew();
}

void ProfilePage::readAnew() {
    d->shown = {};
    const profile::Profile& profile = *session::attachedAs<profile::Profile>(
        d->session->profiles[std::size_t(d->profiles->currentIndex())]);
    d->steps->clear();
    d->steps->addItem(profile.steps.empty() ? tr("the whole profile") : tr("all steps"));
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < std::min(most, profile.steps.size()); ++i)
        d->steps->addItem(tr("step %1, %2").arg(i + 1).arg(profileTime(double(profile.steps[i].duration))));
    ask();
}

void ProfilePage::ask() {
    setLoading(true);
    const int step = d->steps->currentIndex() <= 0 ? profile::allSteps : d->steps->currentIndex() - 1;
    workspace().tasks().run<Shown>(
        tag, this,
        [session = d->session, number = std::size_t(d->profiles->currentIndex()), known = d->shown.profile,
         by = By(d->by->currentIndex()), step, lanes = d->shown.lanes,
         links = d->shown.links](const TaskContext& task) {
            Shown out;
            out.profile = known ? known : std::make_shared<JoinedProfile>();
            const std::lock_guard lock(out.profile->mutex);
            if (!out.profile->joined) {
                auto joined = profile::join(
                    session, session::attachedAs<profile::Profile>(session->profiles[number]), task);
                if (!joined) return Shown();
                out.profile->joined = *joined;
                out.profile->facts = std::make_unique<profile::Facts>(*joined);
            }
            out.rows = profileRows(*out.profile, by, step);
            out.shares = sharesOf(*out.profile->joined, step);
            out.lanes = lanes ? lanes : profileLanes(*out.profile, task);
            if (!out.lanes) return Shown();
            out.links = lanes ? links : rowLinks(*out.profile);
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
    note << tr("%1 % joined").arg(100 * joined.share(), 0, 'f', 1);
    if (const std::string doubt = joinDoubt(joined); !doubt.empty()) note << toQString(doubt);
    d->note->setText(note.join(QStringLiteral(", ")));
    std::vector<profile::Spent> spent;
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        if (d->shown.shares.time[i] > 0) spent.push_back(profile::Spent(i));
    d->legend->setSpent(std::move(spent));
}

void ProfilePage::showFigures() {
    const profile::Joined& joined = *d->shown.profile->joined;
    const profile::Shares& shares = d->shown.shares;
    const Colours& colours = theme().colours();
    std::vector<double> steps;
    for (const profile::Step& step : joined.profile->steps)
        steps.push_back(double(step.duration));
    std::vector<FigureRow::Figure> figures;
    if (!steps.empty())
        figures.push_back({profileTime(profile::medianOf(steps)),
                           tr("a step, median of %1").arg(numberText(steps.size())),
                           {},
                           tr("From %1 to %2")
                               .arg(profileTime(*std::min_element(steps.begin(), steps.end())),
                                    profileTime(*std::max_element(steps.begin(), steps.end())))});
    figures.push_back(
        {profileTime(shares.all()), tr("busy"), {}, tr("What all threads and devices were busy")});
    const auto part = [&](profile::Spent spent) {
        const double time = shares.on(spent);
        if (shares.all() <= 0 || time <= 0) return;
        figures.push_back({profileTime(time),
                           tr("%1, %2 %").arg(spentName(spent)).arg(100 * time / shares.all(), 0, 'f', 1),
                           spentColour(spent, colours)});
    };
    for (std::size_t i = 0; i < profile::spentCount; ++i)
        part(profile::Spent(i));
    d->figures->setFigures(figures);
}

void ProfilePage::restyle() {
    if (d->shown.profile) showFigures();
}

void ProfilePage::showRows() {
    if (!d->shown.profile) return;
    d->table->setRows(tableRows(*d->shown.profile->joined, d->shown.rows, d->filter->text(), d->numbers));
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
        place.page = Page::Breaks;
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
