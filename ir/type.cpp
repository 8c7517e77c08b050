#include "ir/type.h"

#include "numerics/format.h"

namespace reckon::ir {

static_assert(static_cast<int>(Scalar::i8) == numerics::format_count &&
              static_cast<int>(Scalar::boolean) == numerics::format_count + numerics::integer_count);

int byte_width(Scalar scalar) {
  if (is_float(scalar)) return word_width(format_of(scalar)) / 8;
  return is_integer(scalar) ? integer_traits(scalar).width / 8 : 1;
}

std::string_view scalar_name(Scalar scalar) {
  if (is_float(scalar)) return traits(format_of(scalar)).name;
  if (is_integer(scalar)) return integer_traits(scalar).name;
  return scalar == Scalar::boolean ? "bool" : "number";
}

std::optional<Scalar> scalar_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Scalar::number); ++i) {
    if (scalar_name(static_cast<Scalar>(i)) == name) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> scalar_names() {
  std::vector<std::string_view> names = numerics::format_names();
  for (const auto& integer : numerics::integer_table) names.push_back(integer.name);
  for (const Scalar scalar : {Scalar::boolean, Scalar::number}) names.push_back(scalar_name(scalar));
  return names;
}

std::size_t TypeStore::Hash::operator()(const Type& type) const {
  std::size_t seed = static_cast<std::size_t>(type.kind) * 64 + static_cast<std::size_t>(type.scalar);
  for (IndexId extent : type.extents) seed = hash_combine(seed, extent.index);
  for (TypeId part : type.parts) seed = hash_combine(seed, part.index);
  return seed;
}

TypeId TypeStore::intern(Type type) {
  auto [found, inserted] = interned_.try_emplace(type, TypeId{static_cast<std::uint32_t>(types_.size())});
  if (inserted) types_.push_back(std::move(type));
  return found->second;
}

TypeId TypeStore::scalar(Scalar scalar) { return intern({TypeKind::scalar, scalar, {}, {}}); }
TypeId TypeStore::tensor(Scalar scalar, std::vector<IndexId> extents) {
  return extents.empty() ? this->scalar(scalar) : intern({TypeKind::tensor, scalar, std::move(extents), {}});
}
bool TypeStore::has_tensor(TypeId id) const {
  const Type& type = types_[id.index];
  return type.kind == TypeKind::tensor ||
         std::ranges::any_of(type.parts, [&](TypeId part) { return has_tensor(part); });
}
TypeId TypeStore::tuple(std::vector<TypeId> parts) { return intern({TypeKind::tuple, {}, {}, std::move(parts)}); }

}  // namespace reckon::ir
