// What a trace found, as JSON.
#include <nlohmann/json.hpp>

#include "api/reckon/trace.h"

namespace reckon {

using Json = nlohmann::ordered_json;

std::string to_json(const TracedOutput& output) {
  Json out{{"kind", "trace"}, {"argument", output.argument}, {"name", output.name}, {"groups", Json::array()}};
  for (const TracedGroup& group : output.groups) {
    Json made{{"elements", group.elements}, {"plain", group.exact}, {"folds", Json::array()}};
    for (const TracedFold& fold : group.folds)
      made["folds"].push_back({{"terms", fold.terms},
                               {"schedule", fold.schedule},
                               {"tree", fold.tree},
                               {"arithmetic", fold.arithmetic},
                               {"multiway_nodes", fold.multiway_nodes}});
    out["groups"].push_back(made);
  }
  out["circuit"] = output.circuit;
  out["problem"] = output.problem;
  out["regular"] = output.regular;
  out["irregular"] = output.irregular;
  for (const auto& [name, bits] : {std::pair{"bits", &output.bits}, std::pair{"other", &output.other}}) {
    if (bits->compared > 0 || !bits->problem.empty())
      out[name] = {
          {"equal", bits->equal}, {"compared", bits->compared}, {"ulps", bits->ulps}, {"problem", bits->problem}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reckon
