// Which element of a tile a lane holds, as the PTX ISA writes it (9.7.14.5, "Matrix Fragments for
// mma.m*n*k*"; 9.7.15.5, "Register Fragments" of wgmma): the second source for the catalogue of atoms, written down
// from its text.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace reckon::layout_tests {

struct Place {
  int row, column;
  friend bool operator==(const Place&, const Place&) = default;
};
/// Lane (of a warp; of four warps) and the i-th element of its fragment. B is K x N.
using Formula = std::function<Place(int lane, int i)>;
struct Formulas {
  Formula a, b, c;
};

inline Place accumulator(int lane, int i) { return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }
inline Place accumulator_of_8_rows(int lane, int i) { return {lane / 4, lane % 4 * 2 + (i & 1)}; }

/// By "m16n8k16" and the bits of A's elements.
inline std::map<std::pair<std::string, int>, Formulas> of_warps() {
  const auto group = [](int lane) { return lane >> 2; };
  const auto thread = [](int lane) { return lane % 4; };
  std::map<std::pair<std::string, int>, Formulas> out;
  out[{"m16n8k8", 16}] = {[=](int l, int i) {
                            return Place{group(l) + (i < 2 ? 0 : 8), thread(l) * 2 + (i & 1)};
                          },
                          [=](int l, int i) {
                            return Place{thread(l) * 2 + i, group(l)};
                          },
                          accumulator};
  out[{"m16n8k16", 16}] = {
      [=](int l, int i) {
        return Place{i < 2 || (4 <= i && i < 6) ? group(l) : group(l) + 8, thread(l) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
      },
      [=](int l, int i) {
        return Place{thread(l) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(l)};
      },
      accumulator};
  out[{"m16n8k4", 32}] = {[=](int l, int i) {
                            return Place{i == 0 ? group(l) : group(l) + 8, thread(l)};
                          },
                          [=](int l, int) {
                            return Place{thread(l), group(l)};
                          },
                          accumulator};
  out[{"m16n8k8", 32}] = {
      [=](int l, int i) {
        return Place{i == 0 || i == 2 ? group(l) : group(l) + 8, i == 0 || i == 1 ? thread(l) : thread(l) + 4};
      },
      [=](int l, int i) {
        return Place{i == 0 ? thread(l) : thread(l) + 4, group(l)};
      },
      accumulator};
  out[{"m8n8k4", 64}] = {[=](int l, int) {
                           return Place{group(l), thread(l)};
                         },
                         [=](int l, int) {
                           return Place{thread(l), group(l)};
                         },
                         accumulator_of_8_rows};
  out[{"m16n8k4", 64}] = out[{"m16n8k4", 32}];
  out[{"m16n8k8", 64}] = out[{"m16n8k8", 32}];
  out[{"m16n8k16", 64}] = {
      [=](int l, int i) {
        return i % 2 == 0 ? Place{group(l), i * 2 + thread(l)} : Place{group(l) + 8, i * 2 - 2 + thread(l)};
      },
      [=](int l, int i) {
        return Place{thread(l) + i * 4, group(l)};
      },
      accumulator};
  out[{"m8n8k16", 8}] = {[=](int l, int i) {
                           return Place{group(l), thread(l) * 4 + i};
                         },
                         [=](int l, int i) {
                           return Place{thread(l) * 4 + i, group(l)};
                         },
                         accumulator_of_8_rows};
  out[{"m16n8k16", 8}] = {[=](int l, int i) {
                            return Place{i < 4 ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3)};
                          },
                          [=](int l, int i) {
                            return Place{thread(l) * 4 + i, group(l)};
                          },
                          accumulator};
  out[{"m16n8k32", 8}] = {
      [=](int l, int i) {
        return Place{i < 4 || (8 <= i && i < 12) ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
      },
      [=](int l, int i) {
        return Place{thread(l) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(l)};
      },
      accumulator};
  out[{"m8n8k32", 4}] = {[=](int l, int i) {
                           return Place{group(l), thread(l) * 8 + i};
                         },
                         [=](int l, int i) {
                           return Place{thread(l) * 8 + i, group(l)};
                         },
                         accumulator_of_8_rows};
  out[{"m16n8k32", 4}] = {[=](int l, int i) {
                            return Place{i < 8 ? group(l) : group(l) + 8, thread(l) * 8 + (i & 7)};
                          },
                          [=](int l, int i) {
                            return Place{thread(l) * 8 + i, group(l)};
                          },
                          accumulator};
  out[{"m16n8k64", 4}] = {[=](int l, int i) {
                            return Place{i < 8 || (16 <= i && i < 24) ? group(l) : group(l) + 8,
                                         thread(l) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
                          },
                          [=](int l, int i) {
                            return Place{thread(l) * 8 + (i & 7) + (i < 8 ? 0 : 32), group(l)};
                          },
                          accumulator};
  out[{"m8n8k128", 1}] = {[=](int l, int i) {
                            return Place{group(l), thread(l) * 32 + i};
                          },
                          [=](int l, int i) {
                            return Place{thread(l) * 32 + i, group(l)};
                          },
                          accumulator_of_8_rows};
  out[{"m16n8k128", 1}] = {[=](int l, int i) {
                             return Place{i < 32 ? group(l) : group(l) + 8, thread(l) * 32 + (i & 31)};
                           },
                           [=](int l, int i) {
                             return Place{thread(l) * 32 + i, group(l)};
                           },
                           accumulator};
  out[{"m16n8k256", 1}] = {[=](int l, int i) {
                             return Place{i < 32 || (64 <= i && i < 96) ? group(l) : group(l) + 8,
                                          thread(l) * 32 + (i & 31) + (i < 64 ? 0 : 128)};
                           },
                           [=](int l, int i) {
                             return Place{thread(l) * 32 + (i & 31) + (i < 32 ? 0 : 128), group(l)};
                           },
                           accumulator};
  return out;
}

/// m8n8k4 of f16, by quad pairs, of which lanes 0-3 and 16-19 are the first.
inline Formulas of_quad_pairs(const std::string& name) {
  const bool a_rows = name[name.size() - 2] == 'T', b_columns = name.back() == 'N';
  const auto half = [](int lane) { return lane < 16 ? 0 : 4; };
  Formulas out;
  out.a = [=](int l, int i) { return a_rows ? Place{l % 4 + half(l), i} : Place{i % 4 + half(l), l % 4}; };
  out.b = [=](int l, int i) { return b_columns ? Place{i, l % 4 + half(l)} : Place{l % 4, i + half(l)}; };
  if (name.find("_F32") != std::string::npos) {
    out.c = [=](int l, int i) { return Place{(l & 1) + (i & 2) + half(l), (i & 4) + (l & 2) + (i & 1)}; };
  } else {
    out.c = [=](int l, int i) { return Place{l % 4 + half(l), i}; };
  }
  return out;
}

/// wgmma: lane here is of four warps.
inline Formulas of_groups(int element_bits) {
  Formulas out;
  const auto row = [](int l) { return l / 32 * 16 + l % 32 / 4; };
  out.c = [=](int l, int i) { return Place{row(l) + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (l % 4) + i % 2}; };
  if (element_bits == 16) out.a = out.c;
  if (element_bits == 32) out.a = [=](int l, int i) { return Place{row(l) + 8 * (i % 2), l % 4 + 4 * (i / 2)}; };
  if (element_bits == 8) {
    out.a = [=](int l, int i) { return Place{row(l) + 8 * (i / 4 % 2), 4 * (l % 4) + i % 4 + 16 * (i / 8)}; };
  }
  return out;
}

inline int bits_of(const std::string& type) {
  if (type == "U1") return 1;
  if (type == "S4" || type == "U4") return 4;
  if (type == "S8" || type == "U8" || type == "E4M3" || type == "E5M2") return 8;
  return type == "F64" ? 64 : type == "TF32" || type == "F32" || type == "S32" ? 32 : 16;
}

}  // namespace reckon::layout_tests
