// Circuits that stay on a GPU.
#include "api/reckon/prepared.h"

#include <fmt/format.h>

#include "api/implementation.h"
#include "runtime/cuda/launch.h"

namespace reckon {

namespace cuda = runtime::cuda;
using Role = codegen::Buffer::Role;

namespace {

cuda::DeviceAddress device_address(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
void* pointer(cuda::DeviceAddress address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

}  // namespace

struct Prepared::Implementation {
  std::shared_ptr<Session::Implementation> session;  ///< its module and sources
  std::optional<runtime::GpuProgram> program;
  SourceSpan place;  ///< of the circuit
  std::vector<PreparedTensor> parameters, results;

  Implementation(std::shared_ptr<Session::Implementation> made_by, runtime::GpuProgram made, SourceSpan span)
      : session(std::move(made_by)), program(std::move(made)), place(span) {}
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    const cuda::CurrentContext here(program->shared_context());
    program.reset();
  }

  ir::Module& module() { return session->session.module(); }

  static std::vector<Message> moved_from() {
    return {public_message(bad_argument("this program was moved to another place"), SourceMap())};
  }
  /// Does work that gives a Failure, in the device's context. Returns no message, or what went wrong.
  template <class Work>
  static std::vector<Message> attempt(const std::unique_ptr<Implementation>& self, Work&& work) {
    if (self == nullptr) return moved_from();
    const cuda::CurrentContext here(self->program->shared_context());
    cuda::Failure failure = here.failure();
    if (!failure) failure = within_memory(self->place, [&]() -> cuda::Failure { return work(*self); });
    return failure ? self->session->messages(*failure) : std::vector<Message>{};
  }
  /// The same for work that gives an Expected<Inner>.
  template <class Inner, class Outer, class Work, class Convert>
  static Result<Outer> attempt(const std::unique_ptr<Implementation>& self, Work&& work, Convert&& convert) {
    std::optional<Outer> out;
    auto messages = attempt(self, [&](Implementation& now) -> cuda::Failure {
      Expected<Inner> found = work(now);
      if (!found) return found.error();
      out = convert(std::move(*found));
      return std::nullopt;
    });
    if (!out) return messages;
    return std::move(*out);
  }
};

runtime::GpuOptions Session::Implementation::gpu(int device) const {
  runtime::GpuOptions out;
  if (!options.cuda_driver.empty()) out.driver.library = options.cuda_driver;
  out.device = device;
  return out;
}

Expected<Session::Implementation::Shaped> Session::Implementation::at_sizes(const std::string& circuit,
                                                                            const PrepareOptions& given,
                                                                            SourceSpan& place) {
  auto chosen = choose(circuit, given.values, given.formats);
  if (!chosen) return chosen.error();
  place = chosen->function.span;
  auto with = semantics(given.semantics, {});
  if (!with) return with.error();
  note_roundings(chosen->function, **with);
  Shaped out{std::move(*chosen), std::move(*with), {}, {}};
  const auto& parameters = out.chosen.function.parameters;
  for (const ir::Parameter& parameter : parameters) out.names.emplace_back(session.module().name(parameter.name));
  if (given.shapes) {
    if (given.shapes->size() != parameters.size())
      return bad_argument(fmt::format("`{}` takes {} arguments and was given {} shapes", circuit, parameters.size(),
                                      given.shapes->size()));
    out.shapes = *given.shapes;
    for (std::size_t k = 0; given.types && k < parameters.size() && k < given.types->size(); ++k) {
      if (auto problem = wrong_type(circuit, parameters[k], (*given.types)[k])) return *problem;
    }
    return out;
  }
  for (const ir::Parameter& parameter : parameters) {
    auto shape = shape_of(out.chosen, parameter);
    if (!shape) return shape.error();
    out.shapes.push_back(std::move(*shape));
  }
  return out;
}

Expected<Session::Implementation::Compiled> Session::Implementation::compiled(const Shaped& shaped,
                                                                              const CallOptions& call) {
  return compiled(shaped.chosen.function, shaped.shapes, shaped.chosen.dimensions, *shaped.semantics, call);
}

Result<Prepared> Session::prepare(const std::string& circuit, const PrepareOptions& options) {
  SourceSpan place;
  auto work = [&]() -> Expected<std::unique_ptr<Prepared::Implementation>> {
    Implementation& self = *implementation_;
    auto shaped = self.at_sizes(circuit, options, place);
    if (!shaped) return shaped.error();
    auto context = runtime::open_gpu(self.gpu(options.device));
    if (!context) return context.error();
    CallOptions call;
    call.on = On::gpu;
    call.arch = options.arch.empty() ? (*context)->device().arch() : options.arch;
    auto made = self.compiled(*shaped, call);
    if (!made) return made.error();
    ir::Module& module = self.session.module();
    runtime::ProgramOptions program_options;
    if (options.stream) program_options.stream = static_cast<cuda::StreamObject*>(*options.stream);
    auto program = runtime::GpuProgram::prepare(*context, module, made->function, made->code, {},
                                                interp::generate, program_options);
    if (!program) return program.error();

    auto out = std::make_unique<Prepared::Implementation>(implementation_, std::move(*program), place);
    out->parameters = public_tensors(out->program->tensors(Role::parameter), shaped->names);
    out->results = public_tensors(out->program->tensors(Role::result), {});
    return out;
  };
  std::optional<Result<Prepared>> out;
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto made = within_memory(place, work);
    if (made) out = Prepared(std::move(*made));
    else out = implementation_->messages(made.error());
  });
  return std::move(*out);
}

Prepared::Prepared(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

const std::vector<PreparedTensor>& Prepared::parameters() const {
  static const std::vector<PreparedTensor> none;
  return implementation_ != nullptr ? implementation_->parameters : none;
}

const std::vector<PreparedTensor>& Prepared::results() const {
  static const std::vector<PreparedTensor> none;
  return implementation_ != nullptr ? implementation_->results : none;
}

void* Prepared::stream() const { return implementation_ != nullptr ? implementation_->program->stream() : nullptr; }

Result<std::vector<Tensor>> Prepared::run(std::vector<Tensor> arguments) {
  if (auto messages = upload(std::move(arguments)); !messages.empty()) return messages;
  if (auto messages = launch(); !messages.empty()) return messages;
  if (auto messages = download(); !messages.empty()) return messages;
  return wait();
}

std::vector<Message> Prepared::upload(std::size_t parameter, Tensor argument) {
  return Implementation::attempt(implementation_, [&](Implementation& self) -> cuda::Failure {
    const auto tensor = host_tensor(std::move(argument));
    if (!tensor) return tensor.error();
    return self.program->upload(self.module(), parameter, *tensor);
  });
}

std::vector<Message> Prepared::upload(std::vector<Tensor> arguments) {
  return Implementation::attempt(implementation_, [&](Implementation& self) -> cuda::Failure {
    std::vector<ir::HostTensor> tensors;
    for (Tensor& argument : arguments) {
      auto tensor = host_tensor(std::move(argument));
      if (!tensor) return tensor.error();
      tensors.push_back(std::move(*tensor));
    }
    return self.program->upload(self.module(), tensors);
  });
}

std::vector<Message> Prepared::launch() {
  return Implementation::attempt(implementation_, [](Implementation& self) { return self.program->launch(); });
}

std::vector<Message> Prepared::download() {
  return Implementation::attempt(implementation_, [](Implementation& self) { return self.program->download(); });
}

Result<std::vector<Tensor>> Prepared::wait() {
  return Implementation::attempt<std::vector<ir::HostTensor>, std::vector<Tensor>>(
      implementation_, [](Implementation& self) { return self.program->wait(); },
      [](std::vector<ir::HostTensor> tensors) {
        std::vector<Tensor> out;
        for (ir::HostTensor& tensor : tensors) out.push_back(public_tensor(std::move(tensor)));
        return out;
      });
}

std::vector<Message> Prepared::run(std::span<const void* const> arguments, std::span<void* const> results,
                                   void* stream) {
  return Implementation::attempt(implementation_, [&](Implementation& self) -> cuda::Failure {
    if (arguments.size() != self.parameters.size() || results.size() != self.results.size())
      return wrong_counts(self.parameters.size(), self.results.size(), arguments.size(), results.size());
    return self.program->run(arguments.data(), results.data(), static_cast<cuda::StreamObject*>(stream));
  });
}

std::vector<Message> Prepared::wait_for(const Prepared& other) {
  if (other.implementation_ == nullptr) return Implementation::moved_from();
  return Implementation::attempt(implementation_, [&](Implementation& self) {
    return self.program->wait_for(*other.implementation_->program);
  });
}

std::vector<Message> Prepared::bind_parameter(std::size_t parameter, const void* address) {
  return Implementation::attempt(implementation_, [&](Implementation& self) {
    return self.program->bind(Role::parameter, parameter, device_address(address));
  });
}

std::vector<Message> Prepared::bind_result(std::size_t result, void* address) {
  return Implementation::attempt(implementation_, [&](Implementation& self) {
    return self.program->bind(Role::result, result, device_address(address));
  });
}

Result<void*> Prepared::parameter_address(std::size_t parameter) {
  return Implementation::attempt<cuda::DeviceAddress, void*>(
      implementation_, [&](Implementation& self) { return self.program->address(Role::parameter, parameter); },
      pointer);
}

Result<void*> Prepared::result_address(std::size_t result) {
  return Implementation::attempt<cuda::DeviceAddress, void*>(
      implementation_, [&](Implementation& self) { return self.program->address(Role::result, result); }, pointer);
}

}  // namespace reckon
