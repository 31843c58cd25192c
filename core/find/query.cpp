// SPDX-License-Identifier: BSD-3-Clause
#include "core/find/query.h"

#include "core/base/words.h"
#include "core/session/filter_match.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace dynascope::find {

namespace {

using session::FilterTerm;
using session::verdictOf;
using Verdict = session::FilterVerdict;

class Query {
public:
    Query(const Entries& entries, std::string_view title)
        : m_entries(entries)
        , m_title(title) {}

    [[nodiscard]] bool finds(const session::Filter& filter, const Entry& row) {
        return filter.verdictBy([&](const FilterTerm& term) { return verdict(term, row); }) == Verdict::Yes;
    }

private:
    /// How a text is looked at; each look keeps its own answers.
    enum class Look : std::uint8_t {
        Words,
        Place,
        Function,
        Code,
        Module,
        Status,
        Dtype,
        Shape,
        Device,
        Numel
    };

    Verdict verdict(const FilterTerm& term, const Entry& row) {
        const EntryCompile& compile = m_entries.compiles[row.compile];
        if (term.key.empty()) return verdictOf(hasWord(term, row));
        if (term.key == "capture") return verdictOf(containsLowered(m_title, term.lower));
        if (term.key == "id") return verdictOf(lowered(compile.id).starts_with(term.lower));
        if (term.key == "rank") return verdictOf(std::to_string(compile.rank) == term.value);
        if (term.key == "time")
            return verdictOf(session::compareNumbers(term.compare, compile.seconds, term.number.value_or(0)));
        if (term.key == "status") return known(term, Look::Status, row.status);
        if (term.key == "stage") return known(term, Look::Words, row.stage);
        if (term.key == "file")
            return row.places == 0 ? Verdict::Unknown : known(term, Look::Place, row.places);
        if (term.key == "function")
            return row.places == 0 ? verdictOf(containsLowered(compile.function, term.lower))
                                   : known(term, Look::Function, row.places);
        if (term.key == "kernel")
            return row.kind == Kind::Kernel ? known(term, Look::Words, row.name) : Verdict::Unknown;
        if (row.kind != Kind::Node) return Verdict::Unknown;
        if (term.key == "op")
            return verdictOf(holds(term, Look::Words, row.op) || holds(term, Look::Words, row.target));
        if (term.key == "target") return verdictOf(holds(term, Look::Words, row.target));
        if (term.key == "name") return verdictOf(holds(term, Look::Words, row.name));
        if (term.key == "module") return known(term, Look::Module, row.module);
        constexpr std::array<std::pair<std::string_view, Look>, 4> ofValues{{{"dtype", Look::Dtype},
                                                                             {"shape", Look::Shape},
                                                                             {"device", Look::Device},
                                                                             {"numel", Look::Numel}}};
        for (const auto& [key, look] : ofValues)
            if (term.key == key) return verdictOf(row.meta != 0 && holds(term, look, row.meta));
        return Verdict::Unknown;
    }

    Verdict known(const FilterTerm& term, Look look, TextId text) {
        return text == 0 ? Verdict::Unknown : verdictOf(holds(term, look, text));
    }

    /// In what the row itself says, not its compile.
    bool hasWord(const FilterTerm& term, const Entry& row) {
        return holds(term, Look::Words, row.name) || holds(term, Look::Words, row.target) ||
               holds(term, Look::Words, row.text) || holds(term, Look::Words, row.meta) ||
               (row.module != 0 && holds(term, Look::Module, row.module)) ||
               holds(term, Look::Code, row.places);
    }

    bool holds(const FilterTerm& term, Look look, TextId text) {
        std::vector<std::int8_t>& answers = m_answers[{&term, look}];
        if (answers.empty()) answers.resize(m_entries.texts.size(), -1);
        std::int8_t& answer = answers[text];
        if (answer < 0) answer = looksAlike(term, look, m_entries.of(text)) ? 1 : 0;
        return answer > 0;
    }

    static bool looksAlike(const FilterTerm& term, Look look, const std::string& text) {
        switch (look) {
        case Look::Words:
            return containsLowered(text, term.lower);
        case Look::Module:
            return session::matchesModule(term.lower, text);
        case Look::Place:
        case Look::Function:
        case Look::Code: {
            const ir::StackTrace places = unpackPlaces(text);
            return std::any_of(places.begin(), places.end(), [&](const ir::SourceLocation& at) {
                if (look == Look::Place) return session::matchesPlace(term.lower, at);
                if (look == Look::Function) return containsLowered(at.function, term.lower);
                return containsLowered(at.code, term.lower) || containsLowered(baseName(at.file), term.lower);
            });
        }
        case Look::Status: {
            std::string_view rest = text;
            while (!rest.empty()) {
                const std::string_view word = rest.substr(0, rest.find(' '));
                if (word.starts_with(term.lower)) return true;
                rest.remove_prefix(std::min(word.size() + 1, rest.size()));
            }
            return false;
        }
        case Look::Dtype:
        case Look::Shape:
        case Look::Device:
        case Look::Numel:
            break;
        }
        const ir::ValueMeta value = ir::parseAnnotation(text);
        if (!value.tensor) return false;
        const ir::TensorMeta& meta = *value.tensor;
        if (look == Look::Dtype) return lowered(meta.dtype) == term.lower;
        if (look == Look::Shape) return session::matchesShape(term.value, meta.sizes);
        if (look == Look::Device) return containsLowered(meta.device, term.lower);
        const std::optional<double> n = session::elements(meta);
        return n && session::compareNumbers(term.compare, *n, term.number.value_or(0));
    }

    const Entries& m_entries;
    std::string_view m_title;
    std::map<std::pair<const FilterTerm*, Look>, std::vector<std::int8_t>> m_answers;
};

} // namespace

std::vector<std::size_t> findIn(const Entries& entries, std::string_view title,
                                const session::Filter& filter) {
    Query query(entries, title);
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < entries.rows.size(); ++i)
        if (query.finds(filter, entries.rows[i])) out.push_back(i);
    return out;
}

} // namespace dynascope::find
