#include "ptx/read/words.h"

#include <algorithm>
#include <array>

#include "ptx/module.h"

namespace reckon::ptx {
namespace {

using std::string_view;

// Source: PTX ISA 9.0, chapter 9.
constexpr string_view opcodes[] = {
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom", "bar", "barrier", "bfe", "bfi",
    "bfind", "bmsk", "bra", "brev", "brkpt", "brx", "call", "clusterlaunchcontrol", "clz", "cnot", "copysign", "cos",
    "cp", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a", "dp4a", "elect", "ex2", "exit", "fence", "fma", "fns",
    "getctarank", "griddepcontrol", "isspacep", "istypep", "ld", "ldmatrix", "ldu", "lg2", "lop3", "mad", "mad24",
    "madc", "mapa", "match", "max", "mbarrier", "membar", "min", "mma", "mov", "movmatrix", "mul", "mul24", "multimem",
    "nanosleep", "neg", "not", "or", "pmevent", "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem",
    "ret", "rsqrt", "sad", "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "st",
    "stackrestore", "stacksave", "stmatrix", "sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05",
    "tensormap", "testp", "tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4",
    "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset", "vset2", "vset4",
    "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma", "xor"};

// Modifiers of chapter 9 that are no types.
constexpr string_view modifiers[] = {
    "1d", "2d", "3d", "4d", "5d", "a", "acq_rel", "acquire", "add", "address", "alias", "aligned", "all", "alloc",
    "always", "and", "any", "approx", "arrive", "arrive_drop", "async", "b4e", "ballot", "bfly", "block",
    "block32", "bulk", "bulk_group", "ca", "cas", "cc", "cg", "clamp", "cluster", "clusterctarank", "col",
    "commit_group", "complete_tx", "complete_tx::bytes", "const", "cs", "cta", "cta_group::1", "cta_group::2", "cv", "dec", "down", "ecl", "ecr", "elect",
    "eq", "equ", "evict_first", "evict_last", "evict_normal", "evict_unchanged", "excl", "exch", "exit", "expect_tx", "f4e", "fence", "finite",
    "fractional", "ftz", "full", "ge", "geu", "gl", "global", "gpu", "gt", "gtu", "hi", "hs", "idx", "im2col", "im2col::w",
    "inc", "infinite", "init", "inval", "init_pending_count", "l", "launch_dependents", "le", "level::eviction_priority", "leu", "lo",
    "local", "ls", "lt", "ltu", "lu", "m16n16", "m16n8k16", "m16n8k32", "m16n8k4", "m16n8k64", "m16n8k8", "m16n8k128", "m16n8k256", "m8n16",
    "m8n8", "m8n8k128", "m8n8k16", "m8n8k32", "m8n8k4", "mask", "max", "mbarrier", "mbarrier::complete_tx::bytes", "mbarrier::arrive::one", "mbarrier_init", "reduce", "min", "mma",
    "mma_async", "mmio", "multicast::cluster", "multp", "nan", "NaN", "nc", "ne", "neu", "no_allocate",
    "noComplete", "noinc", "normal", "notanumber", "num", "number", "oc", "op_restrict", "or", "parity", "param", "param::entry", "param::func", "pending_count",
    "popc", "prefetch", "proxy", "r", "range", "rc8", "rc16", "read", "red", "relaxed", "relu", "release", "rm", "rmi", "rn", "rna", "rni", "row", "rp",
    "rpi", "rs", "rz", "rzi", "sat", "satfinite", "sc", "noftz", "L1", "L2", "cvt", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "seq_cst", "shared", "shared::cluster", "shared::cta", "shiftamt", "shl", "shr", "sp", "sp::ordered_metadata",
    "subnormal", "sync", "sync_restrict::shared::cluster", "sync_restrict::shared::cta", "sys", "tensor", "tensormap", "tensormap::generic", "test_wait", "tile", "tile::gather4", "tile::scatter4", "to", "trans",
    "try_wait", "uni", "unified", "up", "v2", "v4", "v8", "volatile", "wait", "wait_all", "wait_group", "wait_pending", "warp", "weak", "wide",
    "wrap", "write", "xor", "xorsign"};

bool is_among(const string_view* begin, const string_view* end, string_view word) {
  return std::find(begin, end, word) != end;
}

bool begins(string_view word, string_view with) { return word.substr(0, with.size()) == with; }

/// `m64n128k16`.
bool is_shape(string_view word) {
  return !word.empty() && word[0] == 'm' && word.find('n') != string_view::npos && word.find('k') != string_view::npos &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == 'm' || c == 'n' || c == 'k'; });
}

constexpr string_view further_types[] = {"s4", "u4", "b1", "b4x16_p64", "b6x16_p32", "b6p2x16", "b8x16", "s2f6x2", "e2m1", "e2m3", "e3m2", "ue8m0", "ue4m3", "e4m3x4", "e5m2x4", "e2m1x4", "u8x4", "s8x4", "bf16x2"};

}  // namespace

std::span<const string_view> all_opcodes() { return opcodes; }

bool is_opcode(string_view word) { return is_among(std::begin(opcodes), std::end(opcodes), word); }

bool is_modifier(string_view word) {
  if (type_named(word) || is_shape(word)) return true;
  if (begins(word, "L1::") || begins(word, "L2::") || begins(word, "x") || begins(word, "kind::")) return true;
  return is_among(std::begin(modifiers), std::end(modifiers), word) ||
         is_among(std::begin(further_types), std::end(further_types), word);
}

}  // namespace reckon::ptx
