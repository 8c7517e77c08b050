#include "frontend/value.h"

namespace reckon::frontend {

Value::Value(Data data_, bool negative_zero_) : data(std::move(data_)), negative_zero(negative_zero_) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

}  // namespace reckon::frontend
