// Handles of the C interface that free themselves, for tests.
#pragma once

#include <memory>

#include "api/reckon/c.h"

namespace reckon::test {

struct Free {
  void operator()(reckon_session* session) const { reckon_session_free(session); }
  void operator()(reckon_values* values) const { reckon_values_free(values); }
  void operator()(reckon_program* program) const { reckon_program_free(program); }
};
template <class Handle>
using Handle_of = std::unique_ptr<Handle, Free>;

inline Handle_of<reckon_session> session(const char* program = "", const reckon_session_options* options = nullptr) {
  reckon_session* made = nullptr;
  if (reckon_session_new(options, &made) != RECKON_OK) return nullptr;
  Handle_of<reckon_session> out(made);
  return reckon_load(made, program, "test.rk") == RECKON_OK ? std::move(out) : nullptr;
}

}  // namespace reckon::test
