// Rows of tensor-core and copy atoms, tiled instructions, and memory analysis.
#include <sstream>

#include "layout/atoms/shared_atom.h"
#include "layout/memory/report.h"
#include "layout/tiled/copy.h"
#include "layout/tiled/mma.h"
#include "tests/layout/cases.h"
#include "tests/layout/notation.h"

namespace reckon::layout_tests {
namespace {

using namespace layout;

/// A layout, or a shape that is compact from the left.
Layout layout_or_shape(const std::string& text) {
  if (auto layout = read_layout(text)) return *layout;
  return must(Layout::compact_left(*whole_tuple(text)));
}

/// What follows `key=` up to a space.
std::string after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? "" : text.substr(at + key.size(), text.find(' ', at) - at - key.size());
}

std::string without_key(const std::string& text) { return text.substr(text.find('=') + 1); }

std::string full_name(const std::string& name) {
  if (name == "SM80_16x8x16") return "SM80_16x8x16_F32F16F16F32_TN";
  return name == "SM70_8x8x4_NT" ? "SM70_8x8x4_F32F16F16F32_NT" : name;
}

TiledMma mma_of(const std::vector<std::string>& args) {
  std::array<std::optional<Layout>, 3> tile;
  if (args.size() > 2) {
    std::string text = without_key(args[2]);
    if (text[0] == '(') text = "<" + text.substr(1, text.size() - 2) + ">";
    const auto tiler = read_tiler(text);
    for (std::size_t k = 0; k < 3; ++k) tile[k] = tiler->modes()[k].layout();
  }
  return must(TiledMma::make(must(mma_atom(full_name(args[0]))), layout_or_shape(without_key(args[1])), tile));
}

CopyAtom copy_atom_of(const std::string& text) {
  std::istringstream words(text);
  std::string atom, type;
  words >> atom >> type;
  return must(in_elements(must(copy_atom(atom)), type == "f16" ? 16 : 32));
}

TiledCopy copy_of(const std::string& text) {
  if (text.rfind("ldsm x4 N for ", 0) == 0) {
    const TiledMma mma = mma_of({"SM80_16x8x16", "(2,2,1):(1,2,0)", "(32,32,16)"});
    return must(TiledCopy::make(copy_atom_of("SM75_U32x4_LDSM_N f16"), mma, text[14] == 'A' ? Operand::a : Operand::b));
  }
  return must(
      TiledCopy::make(copy_atom_of(text), layout_or_shape(after(text, "thr=")), layout_or_shape(after(text, "val="))));
}

std::optional<Answer> atom_answer(const Row& row) {
  if (row.op == "mma_atom_shape_mnk") return must(mma_atom(row.args[0])).shape_mnk().text();
  if (row.op == "mma_atom_thr") return must(mma_atom(row.args[0])).threads;
  if (row.op == "mma_atom_A_TV") return must(mma_atom(row.args[0])).a;
  if (row.op == "mma_atom_B_TV") return must(mma_atom(row.args[0])).b;
  if (row.op == "mma_atom_C_TV") return must(mma_atom(row.args[0])).c;
  if (row.op == "copy_atom_thr") return copy_atom_of(row.args[0]).threads;
  if (row.op == "copy_atom_src") return copy_atom_of(row.args[0]).source;
  if (row.op == "copy_atom_dst") return copy_atom_of(row.args[0]).target;
  if (row.op != "gmma_layout") return std::nullopt;
  const std::size_t atom = row.args[0].find("_Atom_f");
  if (atom == std::string::npos) return gmma_layout(row.args[0]);
  return must(shared_atom(row.args[0].substr(0, atom), std::stoi(row.args[0].substr(atom + 7)))).layout;
}

std::optional<Answer> tiled_answer(const Row& row) {
  if (row.op == "tiled_mma_thr_vmnk") return mma_of(row.args).thr_vmnk();
  if (row.op == "tiled_mma_tile_mnk") return mma_of(row.args).tile_mnk().text();
  if (row.op == "tiled_mma_A_TV") return mma_of(row.args).thread_value(Operand::a);
  if (row.op == "tiled_mma_B_TV") return mma_of(row.args).thread_value(Operand::b);
  if (row.op == "tiled_mma_C_TV") return mma_of(row.args).thread_value(Operand::c);
  if (row.op == "thrfrg_B") return mma_of(row.args).thrfrg(Operand::b, layout_from(row.args[3]));
  if (row.op == "partition_C") {
    const Sliced part = must(mma_of(row.args).partition(Operand::c, layout_from(row.args[3]), std::stoi(row.args[4])));
    return Answer(part.layout, part.offset);
  }
  if (row.op == "tiled_copy_TV") return copy_of(row.args[0]).thread_value();
  if (row.op == "tiled_copy_S_TV") return copy_of(row.args[0]).source();
  if (row.op == "tiled_copy_D_TV") return copy_of(row.args[0]).target();
  if (row.op == "tiled_copy_tiler") return copy_of(row.args[0]).tile().text();
  return std::nullopt;
}

std::optional<Answer> memory_answer(const Row& row) {
  if (row.op != "smem_wavefronts" && row.op != "ldmatrix_wavefronts" && row.op != "gmem_sectors") return std::nullopt;
  const int last = std::stoi(without_key(row.args[2]));
  const AnyLayout layout = *read_any(row.args[0]);
  Access access;
  access.element_bytes = std::stoi(without_key(row.args[1]));
  if (row.op == "ldmatrix_wavefronts") {
    access.instruction = Instruction::ldmatrix;
    return std::to_string(must(report(must(matrix_rows(layout, last)), access)).wavefronts);
  }
  // All modes are lanes: each has one access, of so many elements.
  Offsets lanes = must(offsets(layout));
  lanes.threads *= lanes.values;
  lanes.values = 1;
  access.vector = last;
  access.space = row.op == "gmem_sectors" ? Space::global : Space::shared;
  const Report result = must(report(lanes, access));
  if (access.space == Space::global) {
    return "sectors=" + std::to_string(result.traffic.sectors) + " lines=" + std::to_string(result.traffic.lines) +
           " efficiency=" + std::to_string(result.traffic.bytes) + "/" + std::to_string(32 * result.traffic.sectors);
  }
  return "total=" + std::to_string(result.wavefronts) + " worst_phase=" + std::to_string(result.worst_phase) +
         " phases=" + std::to_string(result.phases);
}

}  // namespace

std::optional<Answer> hardware_answer(const Row& row) {
  for (const auto family : {atom_answer, tiled_answer, memory_answer}) {
    if (auto answer = family(row)) return answer;
  }
  return std::nullopt;
}

}  // namespace reckon::layout_tests
