// Kernels in which the threads of a block carry out a reduction together.
#include "codegen/lower/team/team.h"
#include "codegen/place.h"

namespace reckon::codegen {

using llvm::Value;
using Spread = KernelBody::Spread;

namespace {

constexpr std::uint32_t resident_threads = 1024;  ///< of a multiprocessor

}  // namespace

FoldSite Lowering::site_of(const KernelBody& body) {
  FoldSite site = site_of(body.node);
  if (body.fused) site.arithmetic = Arithmetic::fused;
  return site;
}

void Lowering::lower_by_blocks(const KernelBody& body, Kernel& kernel) {
  kernel.block_items = 1;
  function_.function->addFnAttr("nvvm.maxntid", std::to_string(kernel.threads));
  // Registers for as many threads as keep the memory busy.
  const std::uint32_t blocks = body.blocks > 0 ? body.blocks : std::max(1U, resident_threads / kernel.threads);
  function_.function->addFnAttr("nvvm.minctasm", std::to_string(blocks));
  Team team(*this, kernel.threads);
  switch (body.spread) {
    case Spread::runs: lower_runs(body, kernel, team); break;
    case Spread::columns: lower_columns(body, kernel, team); break;
    default:
      if (body.kind == KernelBody::Kind::rows) lower_rows(body, kernel, team);
      else lower_fold(body, kernel, team);
  }
  kernel.shared_bytes = team.settle_shared();
}

std::int64_t Lowering::superrow_leaves(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  return std::max(lanes, warp * Team::vector_width(*this, site, slice));
}

/// How the nodes of one reduction are dealt out to blocks: runs of a power of two of superrows, so that what a block
/// makes of its run are nodes of the tree.
Lowering::Runs Lowering::runs_of(const KernelBody& body, const FoldSite& site, const Slice& slice, std::int64_t lanes,
                                 GridRuns pass) {
  const std::int64_t size = superrow_leaves(site, slice, lanes);
  Value* superrows = divide_up(slice.length, i64(size));
  Value* most = i64(usual_blocks(pass));
  if (pass == GridRuns::balanced) {
    Value* half = b_.CreateLShr(b_.CreateAdd(log2_up(superrows), i64(1)), 1);
    most = smaller(b_.CreateShl(i64(1), half), most);
  }
  Value* run = b_.CreateShl(i64(1), log2_up(divide_up(superrows, most)));
  if (pass == GridRuns::many) run = smaller(run, i64(body.most_superrows));
  Runs runs;
  runs.superrows = run;
  runs.leaves = b_.CreateMul(run, i64(size));
  runs.count = divide_up(slice.length, runs.leaves);
  Value* before = b_.CreateSub(runs.count, i64(1));
  Value* last = b_.CreateSub(slice.length, b_.CreateMul(before, runs.leaves));
  runs.nodes = b_.CreateAdd(b_.CreateMul(before, i64(lanes)), smaller(i64(lanes), last));
  return runs;
}

Slice Lowering::nodes_of(const KernelBody& body, const FoldSite& site, Value* item, List& list, std::size_t passes) {
  Slice slice{&list, i64(0), i64(1), index(site.node.indices[0])};
  if (!body.nodes) return slice;
  const std::int64_t lanes = *lanes_by_tree(module_, body.schedule);
  for (std::size_t k = 0; k < passes; ++k) {
    slice.length = runs_of(body, site, slice, lanes, body.passes[k]).nodes;
    list.kind = List::Kind::buffered;
  }
  list.buffer = *body.nodes;
  const std::vector<ir::IndexId>& extents = planned_.plan.buffers[*body.nodes].extents;
  list.base = b_.CreateMul(item, b_.CreateMul(index(extents[extents.size() - 2]), i64(lanes)));
  return slice;
}

/// Item = (item of the reduction's space, run).
void Lowering::lower_runs(const KernelBody& body, const Kernel& kernel, Team& team) {
  const FoldSite site = site_of(body);
  const std::int64_t lanes = *lanes_by_tree(module_, body.schedule);
  ptx_items(body, kernel, [&](Value* item, Value* run) {
    when(b_.CreateICmpSGT(index(site.node.indices[0]), i64(0)), [&] {
      List list;
      Value* of_space = b_.CreateUDiv(item, index(kernel.items.back()));
      const Slice all = nodes_of(body, site, of_space, list, body.passes.size() - 1);
      const Runs runs = runs_of(body, site, all, lanes, body.passes.back());
      when(b_.CreateICmpSLT(run, runs.count), [&] {
        Slice part = all;
        Value* superrow = b_.CreateMul(run, runs.superrows);
        part.start = b_.CreateMul(superrow, i64(superrow_leaves(site, all, lanes)), "", true, true);
        part.length = smaller(runs.leaves, b_.CreateSub(all.length, part.start));
        auto made_of = [&](const Slice& slice) {
          const Nodes nodes = team.lanes_by_tree(site, slice, lanes);
          team.each(nodes.slice.length, lanes, [&](Value* lane) {
            const Values values = node_at(site, nodes.slice, lane);
            Value* to = b_.CreateAdd(b_.CreateMul(item, i64(lanes)), lane);
            for (std::uint32_t k = 0; k < values.size(); ++k) store(kernel.output + k, to, values[k]);
          });
          team.release();
          return Values{};
        };
        // Nearly all blocks have a whole run of one size, if that is known: code for just that.
        const bool many = body.passes.back() == GridRuns::many;
        const std::optional<std::int64_t> usual = many ? body.most_superrows : known(runs.superrows);
        if (usual) {
          Slice whole = part;
          whole.length = i64(*usual * superrow_leaves(site, all, lanes));
          branch(
              b_.CreateICmpEQ(part.length, whole.length), [&] { return made_of(whole); },
              [&] { return made_of(part); });
        } else {
          made_of(part);
        }
        team.barrier();
      });
    });
  });
}

/// The fold, or what an empty one gives, in every thread.
Values Lowering::block_fold(const KernelBody& body, Value* item, Team& team) {
  const FoldSite site = site_of(body);
  Value* length = index(site.node.indices[0]);
  List list;
  auto whole = [&] {
    const Slice slice = nodes_of(body, site, item, list, body.passes.size());
    Values values = settled(site, team.fold(site, body.schedule, {slice, known(slice.length)}, {}));
    values.resize(site.scalars.size());
    return values;
  };
  Values values;
  if (known(length) && *known(length) > 0) {
    values = whole();
  } else {
    values = branch(b_.CreateICmpSGT(length, i64(0)), whole, [&] { return empty_fold(site); });
  }
  team.release();
  team.reads_shared();
  return values;
}

void Lowering::lower_fold(const KernelBody& body, const Kernel& kernel, Team& team) {
  ptx_items(body, kernel, [&](Value* item, Value*) {
    store_by_first(team, kernel.output, item, block_fold(body, item, team));
    team.before_writing();
  });
}

void Lowering::store_by_first(const Team& team, std::uint32_t output, Value* offset, const Values& values) {
  when(b_.CreateICmpEQ(team.thread(), i64(0)), [&] {
    for (std::uint32_t k = 0; k < values.size(); ++k) store(output + k, offset, values[k]);
  });
}

}  // namespace reckon::codegen
