// Arrays of answers: what accept's Values hold, which are copied as bytes.
#pragma once

#include <algorithm>

#include "interp/evaluate.h"
#include "semantics/accept/answers.h"

namespace reckon::interp::accept {

inline const Answers* answers(const Values& values) { return reinterpret_cast<const Answers*>(values.data()); }
inline Answers* answers(Values& values) { return reinterpret_cast<Answers*>(values.data()); }

/// `semantics`: accept's own.
inline Values copied(const Semantics& semantics, const Values& values) {
  Values out(semantics, values.scalar(), values.shape());
  std::copy_n(values.data(), static_cast<std::size_t>(values.count()) * semantics.size(values.scalar()), out.data());
  return out;
}

}  // namespace reckon::interp::accept
