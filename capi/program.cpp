// Circuits that are compiled for fixed sizes.
#include <new>

#include "capi/handles.h"

namespace {

using namespace reckon;
using namespace reckon::capi;

const std::vector<PreparedTensor>& tensors(const reckon_program* program, bool parameters) {
  return std::visit([&](const auto& each) -> const std::vector<PreparedTensor>& {
    return parameters ? each.parameters() : each.results();
  }, program->program);
}

reckon_status describe(const reckon_program* program, bool parameters, size_t index, reckon_tensor_info* info) {
  if (program == nullptr || info == nullptr) return RECKON_BAD_USE;
  const auto& all = tensors(program, parameters);
  if (index >= all.size()) return RECKON_BAD_USE;
  const PreparedTensor& tensor = all[index];
  *info = {parameters ? tensor.name.c_str() : nullptr, tensor.type.c_str(), tensor.shape.size(), tensor.shape.data(),
           tensor.bytes, tensor.row_major ? 1 : 0};
  return RECKON_OK;
}

}  // namespace

reckon_status reckon_prepare(reckon_session* session, const char* circuit, const reckon_prepare_options* options,
                             reckon_program** program) {
  return guarded(session, [&] {
    reckon_prepare_options given;
    if (circuit == nullptr || program == nullptr || !read_options(options, given)) {
      return report(session, RECKON_BAD_USE, "reckon_prepare was given no circuit, program or size of its options");
    }
    if (given.on != RECKON_ON_HOST && given.on != RECKON_ON_GPU) {
      return report(session, RECKON_BAD_USE, "reckon_prepare compiles for RECKON_ON_HOST or RECKON_ON_GPU");
    }
    PrepareOptions prepare;
    if (given.semantics != nullptr) prepare.semantics = given.semantics;
    prepare.arch = text_of(given.arch);
    prepare.device = given.device;
    if (!read_definitions(given.definitions, prepare.values, prepare.formats, session->messages)) return RECKON_BAD_USE;
    if (given.arguments != nullptr) {
      prepare.shapes.emplace();
      prepare.types.emplace();
      for (std::size_t k = 0; k < given.argument_count; ++k) {
        auto tensor = read_tensor(given.arguments[k], false);
        if (!tensor) return report(session, RECKON_BAD_USE, "an argument of reckon_prepare has an unknown type or an impossible shape");
        prepare.types->push_back(std::move(tensor->type));
        prepare.shapes->push_back(std::move(tensor->shape));
      }
    }
    const auto keep = [&](auto made) {
      if (made) {
        *program = new reckon_program{std::move(*made), {}};
        session->messages.set(session->session.notes());
        return RECKON_OK;
      }
      session->messages.set(made.messages());
      return capi::status_of(made.messages());
    };
    if (given.on == RECKON_ON_HOST) return keep(session->session.prepare_host(circuit, prepare));
    return keep(session->session.prepare(circuit, prepare));
  });
}

void reckon_program_free(reckon_program* program) { delete program; }

size_t reckon_program_parameters(const reckon_program* program) {
  return program != nullptr ? tensors(program, true).size() : 0;
}

size_t reckon_program_results(const reckon_program* program) {
  return program != nullptr ? tensors(program, false).size() : 0;
}

reckon_status reckon_program_parameter(const reckon_program* program, size_t index, reckon_tensor_info* info) {
  return describe(program, true, index, info);
}

reckon_status reckon_program_result(const reckon_program* program, size_t index, reckon_tensor_info* info) {
  return describe(program, false, index, info);
}

reckon_status reckon_program_run(reckon_program* program, const void* const* arguments, void* const* results,
                                 void* stream) {
  return guarded(program, [&] {
    const std::span from(arguments, tensors(program, true).size());
    const std::span to(results, tensors(program, false).size());
    if ((arguments == nullptr && !from.empty()) || (results == nullptr && !to.empty())) {
      return report(program, RECKON_BAD_USE, "reckon_program_run was given no addresses");
    }
    auto* host = std::get_if<PreparedHost>(&program->program);
    auto problems = host != nullptr ? host->run(from, to) : std::get<Prepared>(program->program).run(from, to, stream);
    if (problems.empty()) return RECKON_OK;
    program->messages.set(std::move(problems));
    return capi::status_of(program->messages.list);
  });
}

reckon_status reckon_program_wait(reckon_program* program) {
  return guarded(program, [&] {
    auto* device = std::get_if<Prepared>(&program->program);
    if (device == nullptr) return RECKON_OK;
    auto waited = device->wait();
    if (waited) return RECKON_OK;
    program->messages.set(waited.messages());
    return capi::status_of(program->messages.list);
  });
}

const char* reckon_program_message_text(const reckon_program* program) {
  return program != nullptr ? program->messages.text.c_str() : "";
}

const char* reckon_program_messages(const reckon_program* program) {
  return program != nullptr ? program->messages.json.c_str() : "[]";
}
