// docs/reference.md has every name of the language.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "api/reckon/explain.h"
#include "api/reckon/reckon.h"
#include "ir/schedule/forms.h"
#include "semantics/standard.h"
#include "tests/support/files.h"

using namespace reckon;

namespace {

const ReferenceEntry* entry_of(const std::vector<ReferenceEntry>& entries, const std::string& name) {
  for (const ReferenceEntry& entry : entries) {
    for (const std::string& each : entry.names) {
      if (each == name) return &entry;
    }
  }
  return nullptr;
}

/// On one line.
std::string flat(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

TEST_CASE("the reference has every name that needs no definition, and no other") {
  const std::vector<ReferenceEntry> entries = reference();
  std::set<std::string> written;
  for (const ReferenceEntry& entry : entries) {
    CHECK(!entry.text.empty());
    CHECK(!entry.introduction.empty());
    for (const std::string& name : entry.names) {
      INFO(name);
      CHECK(written.insert(name).second);
    }
  }
  Session session;  // without the library
  const std::vector<std::string> names = session.names();
  for (const std::string& name : names) {
    INFO(name);
    CHECK(written.contains(name));
  }
  std::set<std::string> known(names.begin(), names.end());
  for (const std::string& each : Session::keywords()) known.insert(each);
  for (const std::string& each : Session::semantics_names()) known.insert(each);
  known.insert("algebra");
  for (const std::string& name : written) {
    INFO(name);
    CHECK(known.contains(name));
  }
}

TEST_CASE("the reference says of schedules and semantics what their tables say") {
  const std::vector<ReferenceEntry> entries = reference();
  for (const ir::Form& form : ir::Forms::standard().all()) {
    INFO(form.name);
    const ReferenceEntry* entry = entry_of(entries, std::string(form.name));
    REQUIRE(entry != nullptr);
    CHECK(flat(entry->text).starts_with("`" + std::string(form.written) + "`: " + std::string(form.help)));
  }
  for (const interp::SemanticsInfo& semantics : interp::known_semantics()) {
    INFO(semantics.name);
    const ReferenceEntry* entry = entry_of(entries, std::string(semantics.name));
    REQUIRE(entry != nullptr);
    CHECK(flat(entry->text).find(std::string(semantics.value)) != std::string::npos);
  }
}

TEST_CASE("a page of references is taken apart") {
  const std::vector<ReferenceEntry> entries = reference();
  const ReferenceEntry* sine = entry_of(entries, "sin");
  REQUIRE(sine != nullptr);
  CHECK(sine->names == std::vector<std::string>{"sin", "cos", "tan"});
  CHECK(sine->chapter == "Elementary functions");
  CHECK(sine->text.starts_with("Of an angle in radians."));
  CHECK(sine->text.ends_with("```"));
  CHECK(sine->text.find("###") == std::string::npos);
  CHECK(sine->introduction.find("correctly rounded") != std::string::npos);
}
