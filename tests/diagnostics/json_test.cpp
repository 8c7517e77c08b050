#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/diagnostic.h"

using namespace reckon;

TEST_CASE("a diagnostic is one JSON object on one line", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "let x =\n  f(1, 2)");
  const auto diagnostic =
      Diagnostic(code::argument_count, {file, 10, 17}, "`f` takes 1 argument, here are 2", "called here")
          .note("a \"note\"\nof two lines")
          .help("write `f(1)`");
  CHECK(render_json(diagnostic, map) ==
        R"({"kind":"error","code":"E0303","message":"`f` takes 1 argument, here are 2","line":2,"column":3,"end_line":2,"end_column":10,)"
        R"("file":"a.rk","notes":["a \"note\"\nof two lines"],"helps":["write `f(1)`"]})");
}

TEST_CASE("labels and suggestions are added where there are any", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "a == b\nc");
  const auto diagnostic =
      Diagnostic(code::syntax, {file, 2, 4}, "message").with({file, 7, 8}, "seen here").suggest({file, 2, 4}, "~");
  const auto json = nlohmann::json::parse(render_json(diagnostic, map));
  CHECK(json["labels"].at(0) == nlohmann::json{{"text", "seen here"}, {"line", 2}, {"column", 1}, {"end_line", 2}, {"end_column", 2}, {"file", "a.rk"}});
  CHECK(json["suggestion"]["replacement"] == "~");
  CHECK(json["suggestion"]["column"] == 3);
  CHECK(json["suggestion"]["end_column"] == 5);
}

TEST_CASE("no place, no line; bytes that are no text are replaced", "[diagnostics]") {
  const SourceMap map;
  Diagnostic diagnostic(code::bad_argument, {}, "odd \xff byte");
  diagnostic.severity = Severity::warning;
  CHECK(render_json(diagnostic, map) ==
        "{\"kind\":\"warning\",\"code\":\"E0603\",\"message\":\"odd \xEF\xBF\xBD byte\",\"notes\":[],\"helps\":[]}");
}
