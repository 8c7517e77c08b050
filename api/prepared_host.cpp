// Circuits that are compiled for the host, at fixed sizes.
#include <fmt/format.h>

#include "api/implementation.h"
#include "api/reckon/prepared.h"
#include "runtime/host/program.h"

namespace reckon {

using Role = codegen::Buffer::Role;

struct PreparedHost::Implementation {
  std::shared_ptr<Session::Implementation> session;  ///< its module and sources
  runtime::HostProgram program;
  std::vector<PreparedTensor> parameters, results;
};

Diagnostic wrong_counts(std::size_t parameters, std::size_t results, std::size_t arguments, std::size_t memories) {
  if (arguments != parameters)
    return bad_argument(fmt::format("the circuit takes {} arguments and was given {}", parameters, arguments));
  return bad_argument(fmt::format("the circuit has {} results and was given memory for {}", results, memories));
}

Result<PreparedHost> Session::prepare_host(const std::string& circuit, const PrepareOptions& options) {
  SourceSpan place;
  auto work = [&]() -> Expected<std::unique_ptr<PreparedHost::Implementation>> {
    Implementation& self = *implementation_;
    auto shaped = self.at_sizes(circuit, options, place);
    if (!shaped) return shaped.error();
    auto made = self.compiled(*shaped, {.on = On::host});
    if (!made) return made.error();
    auto program = runtime::HostProgram::prepare(self.session.module(), made->function, made->code, {},
                                                 interp::generate);
    if (!program) return program.error();
    auto parameters = public_tensors(program->tensors(Role::parameter), shaped->names);
    auto results = public_tensors(program->tensors(Role::result), {});
    return std::make_unique<PreparedHost::Implementation>(
        PreparedHost::Implementation{implementation_, std::move(*program), std::move(parameters), std::move(results)});
  };
  std::optional<Result<PreparedHost>> out;
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto made = within_memory(place, work);
    if (made) out = PreparedHost(std::move(*made));
    else out = implementation_->messages(made.error());
  });
  return std::move(*out);
}

PreparedHost::PreparedHost(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
PreparedHost::PreparedHost(PreparedHost&&) noexcept = default;
PreparedHost& PreparedHost::operator=(PreparedHost&&) noexcept = default;
PreparedHost::~PreparedHost() = default;

const std::vector<PreparedTensor>& PreparedHost::parameters() const {
  static const std::vector<PreparedTensor> none;
  return implementation_ != nullptr ? implementation_->parameters : none;
}

const std::vector<PreparedTensor>& PreparedHost::results() const {
  static const std::vector<PreparedTensor> none;
  return implementation_ != nullptr ? implementation_->results : none;
}

std::vector<Message> PreparedHost::run(std::span<const void* const> arguments, std::span<void* const> results) {
  if (implementation_ == nullptr) {
    return {public_message(bad_argument("this circuit was moved to another place"), SourceMap())};
  }
  Implementation& self = *implementation_;
  std::optional<Diagnostic> problem;
  if (arguments.size() != self.parameters.size() || results.size() != self.results.size()) {
    problem = wrong_counts(self.parameters.size(), self.results.size(), arguments.size(), results.size());
  } else {
    problem = self.program.run(self.session->session.module(), arguments.data(), results.data());
  }
  return problem ? self.session->messages(*problem) : std::vector<Message>{};
}

}  // namespace reckon
