#include "cli/trace_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "api/reckon/trace.h"
#include "cli/ptx_launch.h"

namespace reckon::cli {
namespace {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

/// `n=1000,512,300`, `m=4,2,3` as one list for each launch; nothing, and the console knows why, if they are none.
std::optional<std::vector<Sizes>> read_sizes(const std::vector<std::string>& given, Console& console) {
  std::vector<Sizes> out;
  const auto refuse = [&](const std::string& why) {
    console.complain("--sizes: " + why);
    console.raise(wrong_usage);
    return std::nullopt;
  };
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(fmt::format("`{}` is not of the form `n=1000,512,300`", text));
    std::vector<std::int64_t> values;
    const char* at = text.data() + equals + 1;
    const char* end = text.data() + text.size();
    while (at < end) {
      const auto [stop, error] = std::from_chars(at, end, values.emplace_back());
      if (error != std::errc{} || (stop != end && *stop != ',') || values.back() < 1)
        return refuse(fmt::format("`{}` is not of the form `n=1000,512,300`", text));
      at = stop + 1;
    }
    if (values.size() < 3)
      return refuse(fmt::format("`{}` has {} values, and at least 3 are needed", text, values.size()));
    if (!out.empty() && out.size() != values.size())
      return refuse(fmt::format("`{}` has {} values, and others have {}", text, values.size(), out.size()));
    out.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) out[k].emplace_back(text.substr(0, equals), values[k]);
  }
  return out;
}

/// Options with their integers computed from the sizes.
class AtSizes {
 public:
  AtSizes(const Sizes& sizes, Console& console) : session_(SessionOptions{}), console_(console) {
    std::string lets;
    for (const auto& [name, value] : sizes) lets += fmt::format("let {} = {}\n", name, value);
    if (const auto loaded = session_.load(lets, "--sizes"); !loaded) refuse(loaded.messages());
  }

  std::optional<PtxCommand> command(PtxCommand options) {
    for (auto* extents : {&options.grid, &options.block}) {
      for (std::string& each : *extents) each = integer(each);
    }
    for (std::string& each : options.arguments) each = argument(each);
    return sound_ ? std::optional(std::move(options)) : std::nullopt;
  }

 private:
  void refuse(std::vector<Message> messages) {
    for (Message& message : messages) message.status = wrong_usage;
    if (sound_) console_.print(messages);
    sound_ = false;
  }
  static bool is_plain(const std::string& text) {
    return text.find_first_not_of("0123456789.-+exXabcdefABCDEF") == std::string::npos &&
           (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
  }
  std::string integer(const std::string& text) {
    if (text.empty() || is_plain(text)) return text;
    const auto value = session_.evaluate(text, "--sizes");
    if (!value) {
      refuse(value.messages());
      return "1";
    }
    return value->front().text;
  }
  /// The extents between brackets, or a number.
  std::string argument(const std::string& text) {
    if (text.starts_with("@")) return text;
    const std::size_t open = text.find('[');
    if (open == std::string::npos) return integer(text);
    std::string out = text.substr(0, open + 1), one;
    int depth = 0;
    for (std::size_t at = open + 1; at < text.size(); ++at) {
      const bool ends = depth == 0 && (text[at] == ',' || (text[at] == ']' && at + 1 == text.size()));
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (!ends) {
        one += text[at];
        continue;
      }
      out += integer(one) + text[at];
      one.clear();
    }
    return out;
  }

  Session session_;
  Console& console_;
  bool sound_ = true;
};

std::string text_of(const Sizes& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

void print(const SizedTrace& found, const std::vector<SizedLaunch>& launches, Console& console) {
  std::vector<std::string> sizes;
  std::int64_t equal = 0, compared = 0;
  for (const SizedLaunch& one : launches) sizes.push_back(text_of(one.sizes));
  for (const PtxTrace& one : found.traces) {
    for (const TracedOutput& output : one.outputs) {
      equal += output.bits.equal;
      compared += output.bits.compared;
    }
  }
  if (console.json()) {
    console.line(nlohmann::ordered_json{{"kind", "circuit of sizes"},
                                        {"sizes", sizes},
                                        {"program", found.program},
                                        {"problem", found.problem},
                                        {"bits", {{"equal", equal}, {"compared", compared}}}}
                     .dump());
    return;
  }
  console.line(fmt::format("sizes      {}", fmt::join(sizes, "; ")));
  console.line(found.program.empty() ? "circuit    none of all: " + found.problem
                                     : "circuit    " + found.program.substr(0, found.program.size() - 1));
  console.line(fmt::format("bits       equal after {} of {} launches at these sizes", equal, compared));
}

}  // namespace

int trace_sizes(const std::string& text, const TraceCommand& options, const Common& common, Console& console) {
  const auto sizes = read_sizes(options.sizes, console);
  if (!sizes) return console.status();
  Session session{SessionOptions{}};
  std::vector<SizedLaunch> launches;
  for (const Sizes& each : *sizes) {
    const auto command = AtSizes(each, console).command(options.launch);
    if (!command) return console.status();
    auto launch = ptx_launch(*command, common, session, console);
    if (!launch) return console.status();
    launches.push_back({each, std::move(*launch)});
  }
  TraceOptions how;
  how.verify = options.verify;
  how.name = options.name;
  how.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  const SizedTrace found = trace_ptx_sizes(text, options.launch.file, launches, how);
  if (!found.traces.empty()) console.print(found.traces.back().run.messages);
  if (console.status() != good) {
    // The last launch is the one that was refused.
    if (!found.traces.empty())
      console.complain("--sizes: so it is at " + text_of(launches[found.traces.size() - 1].sizes));
    return console.status();
  }
  if (common.quiet && !found.program.empty()) console.line(found.program.substr(0, found.program.size() - 1));
  if (!common.quiet) print(found, launches, console);
  if (!options.output.empty() && !found.program.empty()) {
    if (const std::string problem = Session::write_file(options.output, found.program); !problem.empty()) {
      console.complain(problem);
      console.raise(wrong_usage);
    }
  }
  return console.status();
}

}  // namespace reckon::cli
