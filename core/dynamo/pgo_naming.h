// SPDX-License-Identifier: BSD-3-Clause
//
// How a shape environment names its symbols. A name comes from the source of the size, so that two runs of a
// program, and the profile that one leaves to the other, call a size the same thing.
//
// Source: torch/fx/experimental/symbolic_shapes.py of PyTorch 2.13, ShapeEnv.create_symbol and unique_ids.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynascope::dynamo {

/// DimDynamic, as far as it decides about a name.
enum class DimPolicy { Static, Duck, Dynamic };

/// One size, stride or number that asks for a symbol.
struct SymbolRequest {
    std::string source;                           ///< "L['x'].size()[0]"
    std::variant<std::int64_t, double> value = 0; ///< the latter for a Python float; finite
    DimPolicy policy = DimPolicy::Duck;
};

struct SymbolAnswer {
    enum class Kind {
        Static,    ///< asked to be a constant
        ZeroOrOne, ///< specialised, since 0 and 1 behave unlike other sizes
        Duck,      ///< shares the symbol of an equal size
        Allocated,
    };
    Kind kind = Kind::Static;
    std::string text; ///< "s42", "zf7", or the constant, of a float what Python's int makes of it
    /// Of an allocated symbol: the number its source hashes to, and the numbers found taken from there on.
    int hashed = 0;
    std::vector<int> taken;
};

/// The number, below 100, at which the search for a source's symbol begins: SHA-256 of the name, as a number.
[[nodiscard]] int hashedSymbolId(std::string_view source);

/// The symbols of one shape environment, in the order in which they are asked for.
class SymbolNames {
public:
    struct Settings {
        bool duckShape = true;
        bool specializeZeroOne = true;
    };
    explicit SymbolNames(Settings settings)
        : m_settings(settings) {}

    /// A number once taken stays taken; the search never wraps around, so that after s99 comes s100.
    [[nodiscard]] SymbolAnswer create(const SymbolRequest& request);

private:
    Settings m_settings;
    std::set<int> m_taken;
    std::map<std::string, std::string> m_byValue; ///< of policy Duck, which an equal number shares
};

} // namespace dynascope::dynamo
