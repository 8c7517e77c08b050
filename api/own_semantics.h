// A program's own semantics (reckon/semantics.h) as one of the evaluator's.
#pragma once

#include <string>
#include <vector>

#include "api/reckon/semantics.h"
#include "interp/evaluate.h"

namespace reckon {

/// Thrown where the evaluator's interface has no room for a fault: by comparisons of values, by enclosures and by
/// copies. It ends a call, a show or a check, which makes it a message.
struct OwnSemanticsFailure {
  Diagnostic diagnostic;
  Diagnostic at(SourceSpan place) const {
    Diagnostic out = diagnostic;
    if (!out.primary.span.known()) out.primary.span = place;
    return out;
  }
};

Expected<std::unique_ptr<interp::Semantics>> make_own(const std::string& name, const semantics::Maker& maker,
                                                      const std::vector<std::string>& arguments, SourceSpan place);
/// The semantics of a shared library, which stays open.
Expected<const semantics::Library*> own_library(const std::string& path);
bool is_own(const interp::Semantics& semantics);

/// Values of a class as an argument of this type; an error if the semantics is of another class.
Expected<interp::Argument> own_argument(const OwnTensor& tensor, const std::string& parameter, ir::Scalar scalar,
                                        const interp::Semantics& semantics);
/// Results as values of their class; nothing under other semantics. `keeper` owns the values.
std::optional<OwnTensor> own_tensor(const interp::Semantics& semantics, const interp::Values& values,
                                    const std::shared_ptr<const void>& keeper);

}  // namespace reckon
