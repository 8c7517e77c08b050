#include "layout/atoms/mma_atom.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "layout/atoms/build.h"
#include "layout/atoms/fragments.h"
#include "layout/atoms/names.h"

namespace reckon::layout {
namespace {

struct ElementType {
  const char* name;  ///< CUTLASS's
  const char* ptx;
  int bits;
};
constexpr ElementType f16{"F16", "f16", 16}, bf16{"BF16", "bf16", 16}, f32{"F32", "f32", 32}, tf32{"TF32", "tf32", 32};
constexpr ElementType f64{"F64", "f64", 64}, e4m3{"E4M3", "e4m3", 8}, e5m2{"E5M2", "e5m2", 8}, s32{"S32", "s32", 32};
constexpr ElementType s8{"S8", "s8", 8}, u8{"U8", "u8", 8}, s4{"S4", "s4", 4}, u4{"U4", "u4", 4}, b1{"U1", "b1", 1};

std::int64_t packed(const ElementType& type) { return std::max(1, 32 / type.bits); }

std::string size_text(std::int64_t m, std::int64_t n, std::int64_t k, const char* between) {
  return std::to_string(m) + between + std::to_string(n) + between + std::to_string(k);
}

using Atoms = std::vector<MmaAtom>;

/// mma.sync of a warp, A by rows and B by columns ("TN").
void add_warp(Atoms& out, const std::string& architecture, std::int64_t m, std::int64_t k, const ElementType& d,
              const ElementType& a, const ElementType& b, const std::string& suffix = {},
              const std::string& modifier = {}) {
  const std::string types = std::string(d.name) + a.name + b.name + d.name;
  const std::string saturate = suffix == "_SATURATE" ? ".satfinite" : "";
  out.push_back({architecture + "_" + size_text(m, 8, k, "x") + "_" + types + "_TN" + suffix,
                 "mma.sync.aligned.m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col" + saturate + "." +
                     d.ptx + "." + a.ptx + "." + b.ptx + "." + d.ptx + modifier,
                 m, 8, k, d.name, a.name, b.name, d.name, OperandPlace::registers, OperandPlace::registers,
                 *Layout::make(32, 1), operand_fragment(m, k, packed(a)), operand_fragment(8, k, packed(b)),
                 accumulator_fragment(m)});
}

/// m8n8k4 of f16: each of the four quad pairs of a warp (lanes 0-3 with 16-19 and so on) computes one product.
void add_quad_pairs(Atoms& out) {
  const Layout by_rows = thread_value_layout({{8, 1}}, {{4, 8}});
  const Layout by_columns = thread_value_layout({{4, 8}, {2, 4}}, {{4, 1}});
  const Layout wide = thread_value_layout({{2, 1}, {2, 16}, {2, 4}}, {{2, 8}, {2, 2}, {2, 32}});
  const Layout narrow = thread_value_layout({{8, 1}}, {{8, 8}});
  for (const ElementType& d : {f32, f16}) {
    for (const char* major : {"TN", "NT", "NN", "TT"}) {
      const bool a_rows = major[0] == 'T', b_columns = major[1] == 'N';
      out.push_back({"SM70_8x8x4_" + std::string(d.name) + "F16F16" + d.name + "_" + major,
                     std::string("mma.sync.aligned.m8n8k4.") + (a_rows ? "row" : "col") +
                         (b_columns ? ".col." : ".row.") + d.ptx + ".f16.f16." + d.ptx,
                     8, 8, 4, d.name, "F16", "F16", d.name, OperandPlace::registers, OperandPlace::registers,
                     atom_mode({{4, 1}, {2, 16}}), a_rows ? by_rows : by_columns, b_columns ? by_rows : by_columns,
                     d.bits == 32 ? wide : narrow});
    }
  }
}

void add_integers(Atoms& out, const std::string& architecture, std::int64_t m, std::int64_t k,
                  const std::array<ElementType, 2>& types) {
  for (const ElementType& a : types) {
    for (const ElementType& b : types) {
      for (const char* suffix : {"", "_SATURATE"}) add_warp(out, architecture, m, k, s32, a, b, suffix);
    }
  }
}

Atoms warp_atoms() {
  Atoms out;
  add_quad_pairs(out);
  add_warp(out, "SM75", 16, 8, f32, f16, f16);
  add_warp(out, "SM75", 8, 16, s32, s8, s8);
  for (std::int64_t k : {8, 16}) {
    add_warp(out, "SM80", 16, k, f16, f16, f16);
    add_warp(out, "SM80", 16, k, f32, f16, f16);
    add_warp(out, "SM80", 16, k, f32, bf16, bf16);
  }
  for (std::int64_t k : {4, 8}) add_warp(out, "SM80", 16, k, f32, tf32, tf32);
  add_warp(out, "SM80", 8, 4, f64, f64, f64);
  add_integers(out, "SM80", 8, 16, {s8, u8});
  add_integers(out, "SM80", 16, 16, {s8, u8});
  add_integers(out, "SM80", 16, 32, {s8, u8});
  add_integers(out, "SM80", 8, 32, {s4, u4});
  add_integers(out, "SM80", 16, 32, {s4, u4});
  add_integers(out, "SM80", 16, 64, {s4, u4});
  add_warp(out, "SM80", 8, 128, s32, b1, b1, "_XORPOPC", ".xor.popc");
  for (std::int64_t k : {128, 256}) {
    add_warp(out, "SM80", 16, k, s32, b1, b1, "_XORPOPC", ".xor.popc");
    add_warp(out, "SM80", 16, k, s32, b1, b1, "_ANDPOPC", ".and.popc");
  }
  for (const ElementType& d : {f32, f16}) {
    for (const ElementType& a : {e4m3, e5m2}) {
      for (const ElementType& b : {e4m3, e5m2}) add_warp(out, "SM89", 16, 32, d, a, b);
    }
  }
  for (std::int64_t k : {4, 8, 16}) add_warp(out, "SM90", 16, k, f64, f64, f64);
  return out;
}

/// wgmma of 128 threads. B comes from shared memory, and so does A unless it is `from_registers`.
MmaAtom group_atom(std::int64_t n, const ElementType& d, const ElementType& a, const ElementType& b,
                   bool from_registers) {
  const std::int64_t k = 256 / a.bits;
  const std::string types = std::string(d.name) + a.name + b.name;
  // Elements that are not 16 bits wide can only be stored in rows of K, and the name says so.
  return {"SM90_" + size_text(64, n, k, "x") + "_" + types + (from_registers ? "_RS" : "_SS") +
              (a.bits == 16 ? "" : "_TN"),
          "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(k) + "." + d.ptx + "." +
              a.ptx + "." + b.ptx,
          64,
          n,
          k,
          d.name,
          a.name,
          b.name,
          d.name,
          from_registers ? OperandPlace::registers : OperandPlace::shared,
          OperandPlace::shared,
          *Layout::make(128, 1),
          from_registers ? group_operand_fragment(k, packed(a)) : group_shared_operand(64, k),
          group_shared_operand(n, k),
          group_accumulator_fragment(n)};
}

void add_groups(Atoms& out) {
  const auto add = [&](const ElementType& d, const ElementType& a, const ElementType& b) {
    for (std::int64_t n = 8; n <= 256; n += 8) {
      if (d.ptx == s32.ptx && n > 32 && n % 16 != 0) continue;  // integers: steps of 16 from 32 on
      for (bool from_registers : {false, true}) out.push_back(group_atom(n, d, a, b, from_registers));
    }
  };
  add(f16, f16, f16);
  add(f32, f16, f16);
  add(f32, bf16, bf16);
  add(f32, tf32, tf32);
  for (const ElementType& a : {e4m3, e5m2}) {
    for (const ElementType& b : {e4m3, e5m2}) {
      add(f32, a, b);
      add(f16, a, b);
    }
  }
  for (const ElementType& a : {s8, u8}) {
    for (const ElementType& b : {s8, u8}) add(s32, a, b);
  }
}

const Atoms& all_mma_atoms() {
  static const Atoms atoms = [] {
    Atoms out = warp_atoms();
    add_groups(out);
    return out;
  }();
  return atoms;
}

/// `prefix` and what follows it as ROWSxCOLUMNS.
std::optional<std::pair<std::int64_t, std::int64_t>> sizes_after(const std::string& name, const std::string& prefix) {
  const std::size_t by = name.find('x', prefix.size());
  const auto digits = [](const std::string& text) {
    return !text.empty() && text.size() < 5 && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (name.rfind(prefix, 0) != 0 || by == std::string::npos) return std::nullopt;
  const std::string rows = name.substr(prefix.size(), by - prefix.size()), columns = name.substr(by + 1);
  if (!digits(rows) || !digits(columns)) return std::nullopt;
  return std::pair(std::stoll(rows), std::stoll(columns));
}

}  // namespace

IntTuple MmaAtom::shape_mnk() const { return std::vector<IntTuple>{m, n, k}; }

const std::vector<std::string>& mma_atom_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const MmaAtom& atom : all_mma_atoms()) out.push_back(atom.name);
    return out;
  }();
  return names;
}

Result<MmaAtom> mma_atom(const std::string& name) {
  const auto found =
      std::find_if(all_mma_atoms().begin(), all_mma_atoms().end(), [&](const MmaAtom& atom) { return atom.name == name; });
  if (found != all_mma_atoms().end()) return *found;
  return unknown_name("matrix instruction", name, mma_atom_names());
}

Result<Layout> gmma_layout(const std::string& name) {
  if (const auto of = sizes_after(name, "CLayout_")) {
    if (of->first == 64 && of->second % 8 == 0 && of->second >= 8 && of->second <= 256) {
      return group_accumulator_fragment(of->second);
    }
  }
  if (const auto of = sizes_after(name, "ALayout_")) {
    // Always 256 bits along K: 8, 16 or 32 elements.
    if (of->first == 64 && (of->second == 8 || of->second == 16 || of->second == 32)) {
      return group_operand_fragment(of->second, of->second / 8);
    }
  }
  if (const auto of = sizes_after(name, "ABLayout_")) {
    if (of->first > 0 && of->second > 0) return group_shared_operand(of->first, of->second);
  }
  return unknown_name("layout of a warp group", name,
                      {"CLayout_64x8", "CLayout_64x256", "ALayout_64x8", "ALayout_64x16", "ALayout_64x32",
                       "ABLayout_64x16"});
}

}  // namespace reckon::layout
