// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_page.h"

#include "views/base/page_parts.h"
#include "views/profile/profile_rows.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"
#include "views/workspace/panel_id.h"
#include "views/workspace/task_runner.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
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
};

struct ProfilePage::Private {
    FigureRow* figures = nullptr;
    QComboBox *profiles = nullptr, *steps = nullptr, *by = nullptr;
    QLineEdit* filter = nullptr;
    RowTable* table = nullptr;
    session::SessionPtr session;
    Shown shown;
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
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    const auto box = [&](const QString& name) {
        auto* out = new QComboBox;
        out->setAccessibleName(name);
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
    column->addWidget(d->table, 1);
    setContent(page);
    setFocusProxy(d->table);

    connect(d->profiles, &QComboBox::activated, this, &ProfilePage::readAnew);
    connect(d->steps, &QComboBox::activated, this, &ProfilePage::ask);
    connect(d->by, &QComboBox::activated, this, &ProfilePage::ask);
    connect(d->filter, &QLineEdit::textChanged, this, &ProfilePage::showRows);
    connect(d->table, &RowTable::rowActivated, this,
            [this](int at) { follow(at, int(ProfileColumn::What)); });
    connect(d->table, &RowTable::linkActivated, this, &ProfilePage::follow);
    addCopyRows(d->table);
    connect(&workspace, &Workspace::placeChanged, this, &ProfilePage::invalidate);
    connect(&workspace, &Workspace::captureReplaced, this, &ProfilePage::invalidate);
}

ProfilePage::~ProfilePage() = default;

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
}

void ProfilePage::refresh() {
    if (showNothingOpen()) return forget();
    const session::SessionPtr session = workspace().capture()->session;
    if (session->profiles.empty()) {
        forget();
        return showMessage(
            tr("No profile was opened with this capture. export_chrome_trace() of torch.profiler "
               "writes one: put it into the folder of the trace, and open the folder."));
    }
    showContent();
    if (d->session == session) return;
    forget();
    d->session = session;
    d->profiles->clear();
    for (const auto& one : session::attachedAs<profile::Profile>(session->profiles))
        d->profiles->addItem(fileName(one->path));
    d->profiles->setVisible(session->profiles.size() > 1);
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
         by = By(d->by->currentIndex()), step](const TaskContext& task) {
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
    const auto part = [&](double time, const QString& name, Tone tone) {
        if (shares.all() <= 0 || time <= 0) return;
        figures.push_back({profileTime(time),
                           tr("%1, %2 %").arg(name).arg(100 * time / shares.all(), 0, 'f', 1),
                           toneColour(tone, colours)});
    };
    part(shares.computed, tr("kernels and nodes"), Tone::Good);
    part(shares.overhead, tr("guards and wrappers"), Tone::Warn);
    part(shares.broken, tr("eager after graph breaks"), Tone::Bad);
    part(shares.outside, tr("outside compiled code"), Tone::Accent);
    part(shares.other, tr("of no known node"), Tone::Other);
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
    const ProfileLink& link = d->shown.rows[std::size_t(d->numbers[std::size_t(row)])].link;
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
