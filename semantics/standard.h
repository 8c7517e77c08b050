// What the registry says about every semantics, and the semantics that other parts of the program use themselves, so
// that they need not name one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/semantics.h"

namespace reckon::interp {

/// A semantics by name and arguments (`fpsan`, `interval`), or why there is none. `others`: names that are known elsewhere, for
/// the message.
Expected<std::unique_ptr<Semantics>> make_semantics(std::string_view name,
                                                    const std::vector<SemanticsArgument>& arguments, SourceSpan place,
                                                    const std::vector<std::string>& others = {});
/// Names of all semantics, for messages and completion.
std::vector<std::string> semantics_names();

struct SemanticsInfo {
  std::string_view name;   ///< as `in NAME` has it; which arguments there are, its maker says
  std::string_view value;  ///< what a value is: a line of the table of docs/semantics.md
};
/// One for each semantics, in the order of its registry.
std::span<const SemanticsInfo> known_semantics();

/// The semantics of `show` and `save` if no other one is asked for.
inline constexpr std::string_view usual_semantics = "float";
/// The name of a question that checks may ask, which uses several semantics (check/algebra.h).
inline constexpr std::string_view algebra_question = "algebra";

/// Whether the first argument names an accuracy profile. Then a check without a tolerance asks whether the profile
/// permits the floats of the other side.
bool takes_profile(std::string_view name);

/// E0700: why there is no code under a semantics of which Traits::compiled is empty.
Diagnostic not_compilable(const Semantics& semantics);

std::unique_ptr<Semantics> floats();
std::unique_ptr<Semantics> bounds();
std::unique_ptr<Semantics> bounds_for_any_order();
/// Exact reals, whose comparisons give up at so many bits.
std::unique_ptr<Semantics> reals(std::int64_t bits);
/// Numbers without a format, for semantics that cannot compute with them (Traits::closed_numbers).
const driver::ClosedNumbers& closed_numbers();
/// The ring in which algebraic laws are checked.
std::unique_ptr<Semantics> algebraic_ring();
/// The ring of Triton's sanitizer.
std::unique_ptr<Semantics> sanitizer();

}  // namespace reckon::interp
