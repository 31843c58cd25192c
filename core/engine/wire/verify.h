// SPDX-License-Identifier: BSD-3-Clause
//
// The method "verify": a computed graph beside eager on the same inputs, and everything that a caller could
// see compared.
#pragma once

#include "core/engine/wire/pass.h"

namespace dynascope::wire {

/// What holding the computed graph against eager came to.
/// Worst first.
enum class VerifyVerdict : std::uint8_t {
    Different,
    OrderDependent, ///< eager reads what it writes, in an order that nobody defined, which explains it
    Random,         ///< random numbers, or memory that nobody wrote, explain a difference
    Declined,       ///< eager raises, so that there is nothing to hold to
    Equal,
};
/// "different", "order-dependent", "random", "declined", "equal".
[[nodiscard]] std::string_view verdictName(VerifyVerdict verdict);

struct VerifyRequest {
    RunOn on;
    /// Either a graph that was loaded, by its hash, with what "pass" said of it, ...
    std::optional<std::string> computed;
    Any computedAttributes; ///< likewise, in the form of RunOn::attributes
    std::vector<WriteBack> writeBacks;
    std::vector<PassStep> steps;
    /// ... or what these passes make of the source.
    std::vector<std::string> passes;
    PassOptions options;
    bool aliasing = false;  ///< also on inputs that share memory in the ways that their geometry allows
    bool strict = false;    ///< strides, storages and identities of outputs count as well
    std::uint64_t seed = 0; ///< of random numbers
};

/// How far apart two sets of values are.
struct ValueDistance {
    double maxAbsolute = 0, maxRelative = 0;
    bool close = false; ///< no further than 1e-5 times the largest magnitude
    /// In double precision the difference is a hundredth at most, and rounding can make as much of it, so
    /// that it does not count.
    bool rounded = false;
    std::vector<std::int64_t> cell; ///< the first that differs; none where none does
};

/// What a check found in one of the two runs.
struct Found {
    struct Layout {
        std::vector<std::int64_t> strides;
        std::int64_t offset = 0;
        friend bool operator==(const Layout&, const Layout&) = default;
    };
    /// Inputs and earlier outputs on the same storage.
    struct Sharing {
        std::vector<std::uint64_t> inputs, outputs;
        friend bool operator==(const Sharing&, const Sharing&) = default;
    };
    /// Of nothing, of words (a dtype, an error, a tensor), of a cell or a count, of a shape, of strides, of storages.
    std::variant<std::monostate, std::string, Number, std::vector<std::int64_t>, Layout, Sharing> value;

    [[nodiscard]] bool isNothing() const { return std::holds_alternative<std::monostate>(value); }
    /// As JSON has it, words in quotes.
    [[nodiscard]] std::string text() const;
    /// For people: words as they are, and nothing for nothing.
    [[nodiscard]] std::string shown() const;
    friend bool operator==(const Found&, const Found&) = default;
};

struct Check {
    std::string what;     ///< "output #0", "input x after the call", "storage 0 after the call", "the call"
    std::string property; ///< "values", "dtype", "shape", "strides", "storage", "identity", "error"
    bool ok = false;
    bool counts = true; ///< one that does not leaves the verdict alone
    Found expected, actual;
    std::optional<ValueDistance> distance; ///< of values
};

/// Where the graphs part although all that the node reads agrees.
struct FirstDifference {
    std::string computed;            ///< node of the computed graph; empty: none
    std::string source;              ///< the source's node that it stands for; empty: none
    std::vector<std::int64_t> index; ///< of the first cell that differs
    Found expected, actual;          ///< its values
    std::string text;                ///< the same in a sentence
    std::vector<std::string> among; ///< computed nodes before it that stand for none: the fault may be theirs
    std::uint64_t runs = 0;         ///< of each graph that it took to find it
    std::string how;
};

struct VariantVerdict {
    std::string inputs; ///< how they share memory: "as given", ...
    VerifyVerdict verdict = VerifyVerdict::Declined;
    std::string reason;
};

struct VerifyReply {
    VerifyVerdict verdict = VerifyVerdict::Declined;
    std::string reason; ///< one sentence; may be empty where equal
    /// Of a graph with collectives: what a run without the other ranks takes for granted (ranks::aloneText).
    std::string alone;
    std::vector<Check> checks;
    bool inDoublePrecision = false; ///< both ran in double precision too, as they do where values differ
    std::optional<FirstDifference> firstDifference;
    std::string inputs;                               ///< which variant the answer is about: the worst
    std::vector<VariantVerdict> variants;             ///< of all that were tried
    std::uint64_t matched = 0;                        ///< pairs of nodes that could be compared
    std::optional<std::string> graph;                 ///< of the passes, where these ran
    std::optional<std::vector<std::string>> warnings; ///< likewise
};

} // namespace dynascope::wire
