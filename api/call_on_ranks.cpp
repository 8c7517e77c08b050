// Calls of circuits that the ranks of a job compute together.
#include "api/call_on_ranks.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "api/reckon/ranks.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/rank_failure.h"
#include "driver/deal.h"
#include "ir/operation_count.h"
#include "ir/printer.h"
#include "runtime/host/run.h"
#include "runtime/mpi/world.h"

namespace reckon {

namespace mpi = runtime::mpi;

namespace {

/// Operations for which compiling takes less time than it saves.
constexpr std::int64_t worth_compiling = 20'000'000;

std::uint64_t hashed(std::uint64_t hash, const void* bytes, std::size_t count) {
  // FNV-1a.
  const auto* next = static_cast<const unsigned char*>(bytes);
  for (std::size_t k = 0; k < count; ++k) hash = (hash ^ next[k]) * 0x100000001b3;
  return hash;
}

/// One call: a circuit, its arguments and what the steps have given so far.
class RankedCall {
 public:
  RankedCall(Session::Implementation& self, mpi::World& world, interp::Semantics& semantics, bool explain)
      : self_(self), module_(self.session.module()), world_(world), semantics_(semantics), explain_(explain) {}

  /// The results, at rank 0; the other ranks get none.
  Expected<std::vector<interp::Values>> results(const ir::Function& function,
                                                const std::vector<ir::HostTensor>& arguments,
                                                const driver::Shapes& shapes, const ir::Dimensions& dimensions);

 private:
  using All = Expected<std::vector<interp::Values>>;
  /// A value of the dealt circuit.
  struct Value {
    std::shared_ptr<const interp::Values> values;  ///< null: this rank does not have it
    const ir::HostTensor* argument = nullptr;      ///< of the call: its patterns
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;
    bool everywhere = false;                       ///< whether all ranks have it
  };
  Expected<ir::Function> prepared(const ir::Function& function, const driver::Shapes& shapes,
                                  const ir::Dimensions& dimensions);
  std::optional<Diagnostic> differs(const ir::Function& function, const std::vector<ir::HostTensor>& arguments);
  std::optional<Diagnostic> take(const driver::Dealing::Step& step);
  /// Sends what rank 0 alone has and the parts read.
  void share(const driver::Dealing::Step& step);
  All computed(const driver::DealtCircuit& circuit);
  All evaluated(const ir::Function& function, const std::vector<interp::Argument>& arguments);
  std::optional<All> compiled(const ir::Function& function, const std::vector<const Value*>& values);
  std::optional<Diagnostic> put_together(const driver::Dealing::Step& step, All mine);
  void tell(const driver::Dealing::Step& step);
  interp::Values made(ir::Scalar scalar, const std::vector<std::int64_t>& shape) {
    return interp::Values(semantics_, scalar, shape);
  }
  std::size_t bytes_of(ir::Scalar scalar) const { return semantics_.size(scalar); }
  std::size_t bytes_of(const interp::Values& values) const {
    return static_cast<std::size_t>(values.count()) * bytes_of(values.scalar());
  }

  Session::Implementation& self_;
  ir::Module& module_;
  mpi::World& world_;
  interp::Semantics& semantics_;
  bool explain_;
  SourceSpan place_;
  std::vector<Value> values_;
};

Expected<ir::Function> RankedCall::prepared(const ir::Function& function, const driver::Shapes& shapes,
                                            const ir::Dimensions& dimensions) {
  const driver::Traits traits = semantics_.traits();
  // Others count what is computed, look at the circuit as a whole, or have values that are no plain bytes.
  if (!semantics_.trivial() || traits.counts_applications || traits.knows_sets_of_orders() || traits.calls_have_rules ||
      traits.bounds_errors) {
    return Diagnostic(code::not_available, function.span,
                      fmt::format("`{}` cannot be computed by several ranks", semantics_.name()))
        .help("`float`, `interval` and `fpsan` can; `--on=interp` evaluates every semantics on one machine");
  }
  const ir::PlacesGuard placing(module_, function.places);
  const auto sized = driver::at_shapes(module_, driver::settled_calls(module_, function, traits), shapes, dimensions);
  if (!sized) return sized.error();
  return driver::prepared(module_, *sized, {}, traits);
}

std::optional<Diagnostic> RankedCall::differs(const ir::Function& function,
                                              const std::vector<ir::HostTensor>& arguments) {
  const std::string text = ir::print(module_, function);
  std::uint64_t mine = hashed(0xcbf29ce484222325, text.data(), text.size());
  for (const ir::HostTensor& argument : arguments) mine = hashed(mine, argument.bytes.data(), argument.bytes.size());
  std::uint64_t of_root = mine;
  world_.broadcast(&of_root, sizeof of_root);
  if (mine == of_root) return world_.agree(std::nullopt);
  return world_.agree(Diagnostic(code::rank_failure, function.span,
                                 "the ranks do not have the same circuit and arguments")
                          .help("start every rank with the same program, sizes and files"));
}

RankedCall::All RankedCall::results(const ir::Function& function, const std::vector<ir::HostTensor>& arguments,
                                    const driver::Shapes& shapes, const ir::Dimensions& dimensions) {
  place_ = function.span;
  const auto whole = prepared(function, shapes, dimensions);
  if (auto failure = world_.agree(whole ? std::nullopt : std::optional(whole.error()))) return *failure;
  if (auto failure = differs(*whole, arguments)) return *failure;
  for (const ir::HostTensor& argument : arguments)
    values_.push_back({nullptr, &argument, argument.scalar, argument.shape, true});
  driver::Dealing dealing(module_, *whole, semantics_.traits(), world_.size());
  bool dealt = false;
  while (const auto step = dealing.next()) {
    dealt = true;
    if (auto failure = take(*step)) return *failure;
  }
  if (!dealt && explain_) {
    Diagnostic note(Code{}, place_, "nothing here can be dealt to ranks: rank 0 computes the circuit alone");
    note.severity = Severity::note;
    self_.notes.push_back(std::move(note));
  }
  All out = std::vector<interp::Values>{};
  if (world_.is_root()) out = computed(dealing.rest());
  if (auto failure = world_.agree(out ? std::nullopt : std::optional(out.error()))) return *failure;
  return out;
}

std::optional<Diagnostic> RankedCall::take(const driver::Dealing::Step& step) {
  share(step);
  const auto& part = step.parts[static_cast<std::size_t>(world_.rank())];
  All mine = std::vector<interp::Values>{};
  if (part) mine = computed(*part);
  if (auto failure = world_.agree(mine ? std::nullopt : std::optional(mine.error()))) return failure;
  auto problem = put_together(step, std::move(mine));
  if (auto failure = world_.agree(problem)) return failure;
  tell(step);
  return std::nullopt;
}

void RankedCall::share(const driver::Dealing::Step& step) {
  for (const auto& part : step.parts) {
    if (!part) continue;
    for (std::uint32_t argument : part->arguments) {
      Value& value = values_[argument];
      if (value.everywhere) continue;
      value.everywhere = true;
      auto received = std::make_shared<interp::Values>(made(value.scalar, value.shape));
      if (world_.is_root()) std::memcpy(received->data(), value.values->data(), bytes_of(*received));
      world_.broadcast(received->data(), bytes_of(*received));
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
    if (operations >= worth_compiling) {
      if (auto out = compiled(circuit.function, values)) return std::move(*out);
    }
  }
  return evaluated(circuit.function, arguments);
}

RankedCall::All RankedCall::evaluated(const ir::Function& function, const std::vector<interp::Argument>& arguments) {
  return self_.evaluated(function, semantics_, arguments, {});  // within memory
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

std::optional<Diagnostic> RankedCall::put_together(const driver::Dealing::Step& step, All mine) {
  const bool reduction = step.kind == driver::Dealing::Step::Kind::reduction;
  // Everything is sent before anything is computed with it, so that no failure leaves a rank waiting.
  std::vector<std::vector<std::byte>> whole;
  std::vector<ir::Scalar> scalars = step.components;
  if (!reduction) scalars = {step.values[0].scalar};
  std::int64_t nodes = 0, inner = 1;
  for (std::int64_t share : step.shares) nodes += share;
  if (!reduction) {
    for (std::size_t d = 0; d < step.values[0].shape.size(); ++d) inner *= d == step.dimension ? 1 : step.values[0].shape[d];
  }
  const auto component_bytes = [&](std::int64_t share, ir::Scalar scalar) {
    return static_cast<std::size_t>(share * inner) * bytes_of(scalar);
  };
  // The results of this rank, a component after the other.
  std::vector<std::vector<std::byte>> part(scalars.size());
  for (std::size_t k = 0; k < mine->size(); ++k) {
    const interp::Values& values = (*mine)[k];
    auto& to = part[k % scalars.size()];
    to.insert(to.end(), values.data(), values.data() + bytes_of(values));
  }
  if (!world_.is_root()) {
    for (const auto& bytes : part) world_.send_to_root(bytes.data(), bytes.size());
    for (const auto& value : step.values) values_.push_back({nullptr, nullptr, value.scalar, value.shape, false});
    return std::nullopt;
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) whole.emplace_back(component_bytes(nodes, scalars[k]));
  std::int64_t first = 0;
  for (int rank = 0; rank < world_.size(); ++rank) {
    const std::int64_t share = step.shares[static_cast<std::size_t>(rank)];
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      const std::size_t size = component_bytes(share, scalars[k]);
      std::vector<std::byte> received;
      if (rank > 0) {
        received.resize(size);
        world_.receive(rank, received.data(), size);
      }
      const std::vector<std::byte>& from = rank > 0 ? received : part[k];
      if (size == 0) continue;
      if (reduction) {
        std::memcpy(whole[k].data() + component_bytes(first, scalars[k]), from.data(), size);
        continue;
      }
      // Runs along a dimension: for each index of the dimensions before it, a block.
      std::size_t after = bytes_of(scalars[k]);
      for (std::size_t d = step.dimension + 1; d < step.values[0].shape.size(); ++d)
        after *= static_cast<std::size_t>(step.values[0].shape[d]);
      const std::size_t block = static_cast<std::size_t>(share) * after, pitch = static_cast<std::size_t>(nodes) * after;
      for (std::size_t b = 0; b * block < size; ++b) {
        std::memcpy(whole[k].data() + b * pitch + static_cast<std::size_t>(first) * after, from.data() + b * block, block);
      }
    }
    first += share;
  }
  std::vector<std::shared_ptr<interp::Values>> tensors;
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    auto& made_here = tensors.emplace_back(std::make_shared<interp::Values>(
        made(scalars[k], reduction ? std::vector<std::int64_t>{nodes} : step.values[0].shape)));
    std::memcpy(made_here->data(), whole[k].data(), whole[k].size());
    whole[k] = {};
  }
  if (!reduction) {
    values_.push_back({tensors[0], nullptr, step.values[0].scalar, step.values[0].shape, world_.size() == 1});
    return std::nullopt;
  }
  std::vector<interp::Argument> arguments;
  for (std::size_t k = 0; k < scalars.size(); ++k)
    arguments.emplace_back(interp::MadeTensor{scalars[k], {nodes}, tensors[k]});
  All joined = evaluated(step.join->function, arguments);
  if (!joined) return joined.error();
  for (std::size_t k = 0; k < joined->size(); ++k) {
    values_.push_back({std::make_shared<interp::Values>(std::move((*joined)[k])), nullptr, step.values[k].scalar,
                       step.values[k].shape, world_.size() == 1});
  }
  return std::nullopt;
}

void RankedCall::tell(const driver::Dealing::Step& step) {
  if (!explain_) return;
  Diagnostic note(Code{}, step.place, step.text);
  note.severity = Severity::note;
  note.notes.push_back(fmt::format("shares of the {} ranks: {}", world_.size(), fmt::join(step.shares, ", ")));
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

Diagnostic told_to_ranks(const Session::Implementation& self, const Diagnostic& failure) {
  auto world = mpi::World::open(self.options.mpi_library);
  return world ? (*world)->agree(failure).value_or(failure) : failure;
}

Result<Ranks> open_ranks(const std::string& library) {
  auto world = mpi::World::open(library);
  if (!world) return std::vector<Message>{public_message(world.error(), SourceMap())};
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
