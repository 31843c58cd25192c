// SPDX-License-Identifier: BSD-3-Clause
//
// The filter language of lists and trees: `status:break file:cap.py -target:aten.view shape:[4, *] (mm or
// addmm)`. Terms next to each other must all hold; "or" between them is alternative; "-" negates; "( )"
// groups; text in double quotes or square brackets is one value. A term without a key is looked for in
// everything a row shows.
#pragma once

#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::session {

/// A key of the language. `onNodes` keys speak about FX nodes, the others about compiles; "file" does both.
struct FilterKey {
    std::string_view name; ///< "target"
    std::string_view hint; ///< "op or function name"
    std::string_view examples;
    bool onCompiles = false;
    bool onNodes = false;
};
[[nodiscard]] std::span<const FilterKey> filterKeys();

/// What a filter is asked about. A part that is null is not known: terms about it neither hold nor fail.
struct FilterSubject {
    const Session* session = nullptr;
    const Compile* compile = nullptr;
    const ir::Node* node = nullptr;
    /// Of `node`: the qualified name of its module, parameter or buffer, empty where it has none. Not owned.
    const std::string* module = nullptr;
    /// Of `compile`: the kernels of its generated code. Not owned.
    const std::vector<std::string>* kernels = nullptr;
};

/// By node, FilterSubject::module of a graph of a compile. Called where a filter asks about modules.
using ModulesOf = std::function<std::vector<std::string>(const Compile& compile, const ir::Graph& graph)>;

enum class FilterVerdict : std::uint8_t { No, Unknown, Yes };

struct FilterTerm; ///< core/session/filter_match.h

/// A parsed filter. An immutable value, cheap to copy, thread-safe.
class Filter {
public:
    /// The filter that everything passes.
    Filter() = default;

    /// On error `column` is the byte position from 1 of the offending text. Blank text gives the empty
    /// filter.
    [[nodiscard]] static Result<Filter> parse(std::string_view text);

    [[nodiscard]] bool isEmpty() const { return !m_root; }
    /// True if some term can only be decided by looking at nodes or at generated code.
    [[nodiscard]] bool asksAboutNodes() const;
    /// Unknown where the subject lacks the part that decides.
    [[nodiscard]] FilterVerdict verdict(const FilterSubject& subject) const;
    /// Of something else, by what `term` says of it for each term.
    [[nodiscard]] FilterVerdict verdictBy(const std::function<FilterVerdict(const FilterTerm&)>& term) const;
    /// verdict() with Unknown counted as a match.
    [[nodiscard]] bool matches(const FilterSubject& subject) const {
        return verdict(subject) != FilterVerdict::No;
    }
    /// Looks at the nodes of the compile's graphs where the filter asks about them (this reads the graphs).
    /// `matching` is the number of matching nodes in the stage that has most; 0 where the filter does not ask
    /// about nodes. Without `modules` no term about them holds.
    [[nodiscard]] bool matchesCompile(const Session& session, const Compile& compile,
                                      std::size_t* matching = nullptr, const ModulesOf& modules = {}) const;

    struct Expression;

private:
    std::shared_ptr<const Expression> m_root;
};

/// Whether `shape` ("[4, *]", "4, 5", "[...]") describes these sizes: "*" is any one size, "..." any number
/// of them.
[[nodiscard]] bool matchesShape(std::string_view pattern, const std::vector<std::string>& sizes);

/// Whether a qualified name ("model.layers.12.self_attn.q_proj") is meant by "layers.12.q_proj": by words of
/// it in their order, of each the beginning in lower case; a number is meant as a whole, right behind the word
/// before it.
[[nodiscard]] bool matchesModule(std::string_view lower, std::string_view name);

/// The token around a cursor: what completion replaces. Offsets in bytes.
struct FilterToken {
    std::size_t begin = 0, end = 0; ///< of the value where `key` is set, else of the word
    std::string key;                ///< "target", or empty while a word or key is typed
    std::string prefix;             ///< typed so far, without an opening quote
};
[[nodiscard]] FilterToken filterTokenAt(std::string_view text, std::size_t cursor);

/// A value that occurs, and how often.
struct FilterValue {
    std::string value;
    std::size_t count = 0;
};
/// Values that `key` takes in these sessions (compile keys) and graphs (node keys), most frequent first, at
/// most `limit`; kernels of the first hundred compiles alone, whose code has to be read.
[[nodiscard]] std::vector<FilterValue> filterValues(std::string_view key,
                                                    std::span<const SessionPtr> sessions,
                                                    std::span<const ir::GraphPtr> graphs,
                                                    std::size_t limit = 200);

/// Quotes a value where the language needs it.
[[nodiscard]] std::string quotedFilterValue(std::string_view value);

} // namespace dynascope::session
