// Arrays of f64 intervals at the speed of the machine's vectors: + - * / sqrt and exp, with the same ends as the rules.
#pragma once

#include "interp/algebra/interval_rules.h"
#include "semantics/interval/compiled.h"
#include "semantics/interval/empty.h"

namespace reckon::interp {

/// Intervals with f64 endpoints and array forms (array_semantics.h). `out` may be one of the operands.
struct F64Intervals : WithEmpty<IntervalFunctions<F64Endpoints>> {
  using Value = IntervalOf<double>;
  static const codegen::CompiledSemantics& compiled() { return codegen::interval_code(); }
  const FaultText* array(operations::add, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::sub, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::mul, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::div, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::sqrt, const Value* a, Value* out, std::size_t count) const;
  const FaultText* array(operations::exp, const Value* a, Value* out, std::size_t count) const;
};

/// The same for f32 endpoints: each block is computed in f64 and rounded to f32.
struct F32Intervals : WithEmpty<IntervalFunctions<F32Endpoints>> {
  using Value = IntervalOf<float>;
  static const codegen::CompiledSemantics& compiled() { return codegen::interval_f32_code(); }
  const FaultText* array(operations::add, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::sub, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::mul, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::div, const Value* a, const Value* b, Value* out, std::size_t count) const;
  const FaultText* array(operations::sqrt, const Value* a, Value* out, std::size_t count) const;
  const FaultText* array(operations::exp, const Value* a, Value* out, std::size_t count) const;
};

}  // namespace reckon::interp
