// Calls of circuits that several ranks compute together.
#include "api/call_on_ranks.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "api/parts_on_gpus.h"
#include "api/reckon/ranks.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/rank_failure.h"
#include "driver/deal.h"
#include "ir/operation_count.h"
#include "ir/printer.h"
#include "runtime/host/run.h"
#include "runtime/mpi/world.h"
#include "sweep/bytes.h"

namespace reckon {

namespace mpi = runtime::mpi;

namespace {

/// Operations for which compiling takes less time than it saves.
constexpr std::int64_t worth_compiling = 4'000'000;

using Gpus = std::vector<std::shared_ptr<const runtime::cuda::Context>>;

/// One call: a circuit, its arguments and what the steps have given so far. The ranks are those of a job, of which this
/// process is one; or the GPUs of this machine, whose work this process gives them.
class RankedCall {
 public:
  RankedCall(Session::Implementation& self, mpi::World& world, interp::Semantics& semantics, bool explain)
      : self_(self), module_(self.session.module()), world_(&world), semantics_(semantics), explain_(explain) {}
  RankedCall(Session::Implementation& self, Gpus gpus, interp::Semantics& semantics, bool explain)
      : self_(self), module_(self.session.module()), gpus_(std::move(gpus)), semantics_(semantics), explain_(explain) {}

  /// The results, at rank 0; the other ranks get none.
  Expected<std::vector<interp::Values>> results(const ir::Function& function,
                                                const std::vector<ir::HostTensor>& arguments,
                                                const driver::Shapes& shapes, const ir::Dimensions& dimensions);

 private:
  using All = Expected<std::vector<interp::Values>>;
  /// The results of each rank, as far as this process has them.
  using OfRanks = std::vector<std::vector<interp::Values>>;
  /// A value of the dealt circuit.
  struct Value {
    std::shared_ptr<const interp::Values> values;  ///< null: this rank does not have it
    const ir::HostTensor* argument = nullptr;      ///< of the call: its patterns
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;
    bool everywhere = false;  ///< whether all ranks have it
  };
  Expected<ir::Function> prepared(const ir::Function& function, const driver::Shapes& shapes,
                                  const ir::Dimensions& dimensions);
  std::optional<Diagnostic> differs(const ir::Function& function, const std::vector<ir::HostTensor>& arguments);
  int size() const { return world_ != nullptr ? world_->size() : static_cast<int>(gpus_.size()); }
  bool is_root() const { return world_ == nullptr || world_->is_root(); }
  /// Whether the results of a rank are in this process.
  bool is_here(int rank) const { return world_ == nullptr || world_->rank() == rank; }
  std::optional<Diagnostic> agree(const std::optional<Diagnostic>& mine) {
    return world_ != nullptr ? world_->agree(mine) : mine;
  }
  std::optional<Diagnostic> take(const driver::Dealing::Step& step);
  Expected<OfRanks> computed(const driver::Dealing::Step& step);
  PartOnGpu on_gpu(const driver::DealtCircuit& circuit);
  /// Sends what rank 0 alone has and the parts read.
  void share(const driver::Dealing::Step& step);
  All computed(const driver::DealtCircuit& circuit);
  std::optional<All> compiled(const ir::Function& function, const std::vector<const Value*>& values);
  using Tensors = std::vector<std::shared_ptr<interp::Values>>;
  /// The results of a rank, a component after the other: those of all groups of nodes stand end to end.
  std::vector<std::vector<std::byte>> components(std::size_t count, const std::vector<interp::Values>& of_rank) const;
  /// All nodes of a reduction, a tensor for each component, or all elements of a tensor: at rank 0.
  Tensors gathered(const driver::Dealing::Step& step, const OfRanks& mine);
  std::optional<Diagnostic> put_together(const driver::Dealing::Step& step, const OfRanks& mine);
  void tell(const driver::Dealing::Step& step);
  /// Gives a note, if the caller wants to know.
  void tell(std::string text, SourceSpan place, std::string more);
  interp::Values made(ir::Scalar scalar, const std::vector<std::int64_t>& shape) {
    return interp::Values(semantics_, scalar, shape);
  }
  std::size_t bytes_of(ir::Scalar scalar) const { return semantics_.size(scalar); }
  std::size_t bytes_of(const interp::Values& values) const {
    return static_cast<std::size_t>(values.count()) * bytes_of(values.scalar());
  }

  Session::Implementation& self_;
  ir::Module& module_;
  mpi::World* world_ = nullptr;  ///< or there are GPUs
  Gpus gpus_;
  interp::Semantics& semantics_;
  bool explain_;
  SourceSpan place_;
  std::vector<Value> values_;
  bool dealt_ = false;  ///< or all of the circuit is left for one rank
};

Expected<ir::Function> RankedCall::prepared(const ir::Function& function, const driver::Shapes& shapes,
                                            const ir::Dimensions& dimensions) {
  const driver::Traits traits = semantics_.traits();
  if (world_ == nullptr && !traits.floats) {
    return Diagnostic(code::not_available, function.span,
                      fmt::format("several GPUs do not compute `{}` together", semantics_.name()))
        .help("one does, `--on=gpu`; several processes do, `--on=mpi`");
  }
  // Others count what is computed, look at the circuit as a whole, or have values that are no plain bytes.
  if (!semantics_.trivial() || traits.counts_applications || traits.knows_sets_of_orders() || traits.calls_have_rules ||
      traits.bounds_errors) {
    return Diagnostic(code::not_available, function.span,
                      fmt::format("`{}` cannot be computed by several ranks", semantics_.name()))
        .help("`float`, `interval` and `fpsan` can; `--on=interp` evaluates every semantics on one machine");
  }
  return driver::for_evaluator(module_, function, shapes, dimensions, traits);
}

std::optional<Diagnostic> RankedCall::differs(const ir::Function& function,
                                              const std::vector<ir::HostTensor>& arguments) {
  const std::string text = ir::print(module_, function);
  std::uint64_t mine = sweep::hashed(text);
  for (const ir::HostTensor& argument : arguments) {
    mine = sweep::hashed({reinterpret_cast<const char*>(argument.bytes.data()), argument.bytes.size()}, mine);
  }
  std::uint64_t of_root = mine;
  world_->broadcast(&of_root, sizeof of_root);
  if (mine == of_root) return agree(std::nullopt);
  return agree(
      Diagnostic(code::rank_failure, function.span, "the ranks do not have the same circuit and arguments")
          .help("start every rank with the same program, sizes and files"));
}

RankedCall::All RankedCall::results(const ir::Function& function, const std::vector<ir::HostTensor>& arguments,
                                    const driver::Shapes& shapes, const ir::Dimensions& dimensions) {
  place_ = function.span;
  const auto whole = prepared(function, shapes, dimensions);
  if (auto failure = agree(whole ? std::nullopt : std::optional(whole.error()))) return *failure;
  if (world_ != nullptr) {
    if (auto failure = differs(*whole, arguments)) return *failure;
  }
  for (const ir::HostTensor& argument : arguments)
    values_.push_back({nullptr, &argument, argument.scalar, argument.shape, true});
  driver::Dealing dealing(module_, *whole, semantics_.traits(), size());
  while (const auto step = dealing.next()) {
    dealt_ = true;
    if (auto failure = take(*step)) return *failure;
  }
  if (size() == 1) {
    if (world_ != nullptr)
      tell("there is one rank, which computes everything", place_, "start more: `mpirun -n 4 reckon call ... --on=mpi`");
    else tell("there is one GPU, which computes everything", place_, "`CUDA_VISIBLE_DEVICES` says which there are");
  } else if (!dealt_) {
    tell("rank 0 computes this circuit alone", place_,
         "it has no reduction and no tensor that could be dealt to the ranks");
  }
  All out = std::vector<interp::Values>{};
  if (is_root()) out = computed(dealing.rest());
  if (auto failure = agree(out ? std::nullopt : std::optional(out.error()))) return *failure;
  return out;
}

std::optional<Diagnostic> RankedCall::take(const driver::Dealing::Step& step) {
  share(step);
  const auto mine = computed(step);
  if (auto failure = agree(mine ? std::nullopt : std::optional(mine.error()))) return failure;
  if (auto failure = agree(put_together(step, *mine))) return failure;
  tell(step);
  return std::nullopt;
}

Expected<RankedCall::OfRanks> RankedCall::computed(const driver::Dealing::Step& step) {
  if (world_ == nullptr) {
    std::vector<std::optional<PartOnGpu>> parts;
    for (const auto& part : step.parts) parts.push_back(part ? std::optional(on_gpu(*part)) : std::nullopt);
    return parts_on_gpus(self_, semantics_, gpus_, parts);
  }
  const auto rank = static_cast<std::size_t>(world_->rank());
  OfRanks out(static_cast<std::size_t>(size()));
  if (!step.parts[rank]) return out;
  All mine = computed(*step.parts[rank]);
  if (!mine) return mine.error();
  out[rank] = std::move(*mine);
  return out;
}

PartOnGpu RankedCall::on_gpu(const driver::DealtCircuit& circuit) {
  PartOnGpu out{circuit.function, {}};
  for (std::uint32_t which : circuit.arguments) {
    const Value& value = values_[which];
    out.arguments.push_back(value.argument != nullptr ? *value.argument : value.values->host(semantics_));
  }
  return out;
}

void RankedCall::share(const driver::Dealing::Step& step) {
  if (world_ == nullptr) return;
  for (const auto& part : step.parts) {
    if (!part) continue;
    for (std::uint32_t argument : part->arguments) {
      Value& value = values_[argument];
      if (value.everywhere) continue;
      value.everywhere = true;
      auto received = std::make_shared<interp::Values>(made(value.scalar, value.shape));
      if (is_root()) std::memcpy(received->data(), value.values->data(), bytes_of(*received));
      world_->broadcast(received->data(), bytes_of(*received));
      value.values = std::move(received);
    }
  }
}

RankedCall::All RankedCall::computed(const driver::DealtCircuit& circuit) {
  std::vector<const Value*> values;
  std::vector<interp::Argument> arguments;
  for (std::uint32_t which : circuit.arguments) {
    const Value& value = values_[which];
    values.push_back(&value);
    if (value.argument != nullptr) arguments.emplace_back(*value.argument);
    else arguments.emplace_back(interp::MadeTensor{value.scalar, value.shape, value.values});
  }
  if (semantics_.traits().floats) {
    const auto counts = ir::operation_counts(module_, circuit.function);
    std::int64_t operations = 0;
    if (counts) {
      for (const auto& [op, count] : *counts) operations += count;
    }
    // The GPUs are what the caller asked for; what little is left when they have done their parts is quicker done here.
    if (world_ == nullptr && (operations >= worth_compiling || !dealt_)) {
      auto out = parts_on_gpus(self_, semantics_, gpus_, {on_gpu(circuit)});
      if (!out) return out.error();
      return std::move(out->front());
    }
    if (operations >= worth_compiling) {
      if (auto out = compiled(circuit.function, values)) return std::move(*out);
    }
  }
  return self_.evaluated(circuit.function, semantics_, arguments, {}, /*uses_are_related=*/true);
}

std::optional<RankedCall::All> RankedCall::compiled(const ir::Function& function,
                                                    const std::vector<const Value*>& values) {
  std::vector<ir::HostTensor> arguments;
  driver::Shapes shapes;
  for (const Value* value : values) {
    arguments.push_back(value->argument != nullptr ? *value->argument : value->values->host(semantics_));
    shapes.push_back(value->shape);
  }
  CallOptions on_host;
  on_host.on = On::host;
  const auto code = self_.compiled(function, shapes, {}, semantics_, on_host);
  if (!code) return std::nullopt;  // the evaluator takes every circuit
  auto tensors = within_memory(place_, [&] {
    return runtime::run_host(module_, code->function, code->code, arguments, {}, interp::generate);
  });
  if (!tensors) return All(tensors.error());
  std::vector<interp::Values> out;
  for (const ir::HostTensor& tensor : *tensors) {
    interp::Values loaded = made(tensor.scalar, tensor.shape);
    if (auto fault = semantics_.load(tensor.scalar, tensor.bytes.data(), static_cast<std::size_t>(tensor.size()),
                                     loaded.data())) {
      return All(Diagnostic(fault->code, place_, fault->message));
    }
    out.push_back(std::move(loaded));
  }
  return All(std::move(out));
}

std::vector<std::vector<std::byte>> RankedCall::components(std::size_t count,
                                                           const std::vector<interp::Values>& of_rank) const {
  std::vector<std::vector<std::byte>> out(count);
  for (std::size_t k = 0; k < of_rank.size(); ++k) {
    auto& to = out[k % count];
    to.insert(to.end(), of_rank[k].data(), of_rank[k].data() + bytes_of(of_rank[k]));
  }
  return out;
}

RankedCall::Tensors RankedCall::gathered(const driver::Dealing::Step& step, const OfRanks& mine) {
  const bool reduction = step.kind == driver::Dealing::Step::Kind::reduction;
  const std::vector<ir::Scalar> scalars = reduction ? step.components : std::vector{step.values[0].scalar};
  if (!is_root()) {
    for (const auto& bytes : components(scalars.size(), mine[static_cast<std::size_t>(world_->rank())]))
      world_->send_to_root(bytes.data(), bytes.size());
    return {};
  }
  const std::int64_t all = std::accumulate(step.shares.begin(), step.shares.end(), std::int64_t{0});
  const std::vector<std::int64_t> shape = reduction ? std::vector{all} : step.values[0].shape;
  Tensors out;
  for (ir::Scalar scalar : scalars) out.push_back(std::make_shared<interp::Values>(made(scalar, shape)));
  std::int64_t first = 0;
  for (int rank = 0; rank < size(); ++rank) {
    const std::int64_t share = step.shares[static_cast<std::size_t>(rank)];
    if (share == 0) continue;
    auto parts = components(scalars.size(), mine[static_cast<std::size_t>(rank)]);
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      // A run along a dimension is a block for each index of the dimensions before it.
      const std::size_t along = reduction ? 0 : step.dimension;
      std::size_t unit = bytes_of(scalars[k]), blocks = 1;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d < along) blocks *= static_cast<std::size_t>(shape[d]);
        if (d > along) unit *= static_cast<std::size_t>(shape[d]);
      }
      const std::size_t block = static_cast<std::size_t>(share) * unit, pitch = static_cast<std::size_t>(all) * unit;
      if (!is_here(rank)) {
        parts[k].resize(blocks * block);
        world_->receive(rank, parts[k].data(), parts[k].size());
      }
      std::byte* to = out[k]->data() + static_cast<std::size_t>(first) * unit;
      for (std::size_t each = 0; each < blocks; ++each)
        std::memcpy(to + each * pitch, parts[k].data() + each * block, block);
    }
    first += share;
  }
  return out;
}

std::optional<Diagnostic> RankedCall::put_together(const driver::Dealing::Step& step,
                                                   const OfRanks& mine) {
  Tensors values = gathered(step, mine);
  if (is_root() && step.join) {
    std::vector<interp::Argument> nodes;
    for (const auto& each : values) nodes.emplace_back(interp::MadeTensor{each->scalar(), each->shape(), each});
    All joined = self_.evaluated(step.join->function, semantics_, nodes, {}, /*uses_are_related=*/true);
    if (!joined) return joined.error();
    values.clear();
    for (interp::Values& each : *joined) values.push_back(std::make_shared<interp::Values>(std::move(each)));
  }
  values.resize(step.values.size());  // null at the other ranks
  for (std::size_t k = 0; k < step.values.size(); ++k) {
    const auto& [scalar, shape] = step.values[k];
    values_.push_back({std::move(values[k]), nullptr, scalar, shape, size() == 1});
  }
  return std::nullopt;
}

void RankedCall::tell(const driver::Dealing::Step& step) {
  if (size() == 1) return;
  tell(step.text, step.place, fmt::format("shares of the {} ranks: {}", size(), fmt::join(step.shares, ", ")));
}

void RankedCall::tell(std::string text, SourceSpan place, std::string more) {
  if (!explain_) return;
  Diagnostic note(Code{}, place, std::move(text));
  note.severity = Severity::note;
  note.notes.push_back(std::move(more));
  self_.notes.push_back(std::move(note));
}

}  // namespace

Expected<std::vector<interp::Values>> call_on_ranks(Session::Implementation& self, const ir::Function& function,
                                                    interp::Semantics& semantics,
                                                    const std::vector<ir::HostTensor>& arguments,
                                                    const driver::Shapes& shapes, const ir::Dimensions& dimensions,
                                                    bool explain) {
  auto world = mpi::World::open(self.options.mpi_library);
  if (!world) return world.error();
  try {
    return RankedCall(self, **world, semantics, explain).results(function, arguments, shapes, dimensions);
  } catch (const std::bad_alloc&) {
    // Where memory is used up between two agreements, the other ranks wait for bytes of this one.
    (*world)->abort("this needs more memory than there is");
  }
}

Expected<std::vector<interp::Values>> call_on_gpus(Session::Implementation& self, const ir::Function& function,
                                                   interp::Semantics& semantics,
                                                   const std::vector<ir::HostTensor>& arguments,
                                                   const driver::Shapes& shapes, const ir::Dimensions& dimensions,
                                                   bool explain) {
  auto gpus = open_gpus(self);
  if (!gpus) return gpus.error();
  return RankedCall(self, std::move(*gpus), semantics, explain).results(function, arguments, shapes, dimensions);
}

Diagnostic told_to_ranks(const Session::Implementation& self, const Diagnostic& failure) {
  auto world = mpi::World::open(self.options.mpi_library);
  return world ? (*world)->agree(failure).value_or(failure) : failure;
}

Result<Ranks> open_ranks(const std::string& library) {
  auto world = mpi::World::open(library);
  if (!world) return std::vector<Message>{public_message(world.error(), SourceMap())};
  return Ranks{(*world)->rank(), (*world)->size()};
}

Result<Ranks> use_communicator(std::uintptr_t communicator, const std::string& library) {
  auto world = mpi::World::open(library);
  if (!world) return std::vector<Message>{public_message(world.error(), SourceMap())};
  (*world)->use(communicator);
  return Ranks{(*world)->rank(), (*world)->size()};
}

int launched_rank() { return mpi::launched_rank().value_or(0); }

std::vector<Message> agree_on(const std::vector<Message>& failures) {
  auto world = mpi::World::open();
  if (!world) return {public_message(world.error(), SourceMap())};
  std::optional<Diagnostic> mine;
  if (!failures.empty()) {
    const Message& first = failures.front();
    mine = Diagnostic(code_named(first.code).value_or(code::rank_failure), {}, first.message);
    mine->notes = first.notes;
    mine->helps = first.helps;
  }
  const auto failure = (*world)->agree(mine);
  if (!failure) return {};
  return {public_message(*failure, SourceMap())};
}

}  // namespace reckon
