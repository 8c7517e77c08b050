// What names stand for: the definitions of files, and the names of blocks, functions and binders.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ast.h"
#include "frontend/value.h"
#include "ir/module.h"

namespace reckon::frontend {

/// Circuits with sizes that were read off kernels at some values of these: `rows at m = 4, n = 256; m = 2, n = 128`.
using ReadOff = std::set<std::string>;

/// A definition of a file: its syntax tree, and the state of its elaboration.
struct Declaration {
  std::uint32_t program = 0;
  std::uint32_t item = 0;
  enum class State : std::uint8_t { untouched, in_progress, done, failed } state = State::untouched;
  std::uint32_t length_depth = 0;        ///< how many `length` bodies enclosed the start of its elaboration
  bool referenced = false;               ///< a schedule that refers to itself
  std::optional<Value> value;            ///< let, type
  std::shared_ptr<const Record> result;  ///< fn: of a result whose type is not stated
  ir::PlacesId places{0};                ///< let: of its nodes
  ReadOff read_off;                      ///< what stands in it, if its state is done; fn: of all instances
  std::map<std::string, std::optional<ir::Function>> instances;  ///< fn, by the text of its static arguments
  std::set<std::string> instances_in_progress;
};

/// The value of an expression, and the places of its nodes.
struct PlacedResult {
  Value value;
  ir::PlacesId places;
  ReadOff read_off = {};
};

/// What a file's text may name: its own definitions and those that it imports.
struct Environment {
  std::map<std::string, std::uint32_t> definitions;  ///< name -> declaration
  std::map<std::string, PlacedResult> remembered;    ///< names given by Session::remember
};

struct LoadedProgram {
  Program tree;
  std::shared_ptr<Environment> environment;
};

/// Names of one block, function or binder; the innermost is searched first.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}
  void bind(const std::string& name, Value value) { names_.insert_or_assign(name, std::move(value)); }
  const Value* find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer_) {
      auto found = scope->names_.find(name);
      if (found != scope->names_.end()) return &found->second;
    }
    return nullptr;
  }
  void collect(std::vector<std::string>& out) const {
    for (const Scope* scope = this; scope; scope = scope->outer_) {
      for (const auto& [name, value] : scope->names_) out.push_back(name);
    }
  }

 private:
  const Scope* outer_;
  std::map<std::string, Value> names_;
};

/// Where an expression stands: its program, and the names in scope.
struct Context {
  std::uint32_t program;
  const Scope* scope;
  Context in(const Scope& inner) const { return {program, &inner}; }
};

}  // namespace reckon::frontend
