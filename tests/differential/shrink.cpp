#include "tests/differential/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "numerics/format.h"
#include "tests/differential/formats.h"

namespace reckon::differential {
namespace {

using Path = std::vector<std::size_t>;

Node& at(Node& root, const Path& path) {
  Node* node = &root;
  for (std::size_t step : path) node = &node->children[step];
  return *node;
}

void collect_paths(const Node& node, Path& path, std::vector<Path>& out) {
  out.push_back(path);
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    path.push_back(k);
    collect_paths(node.children[k], path, out);
    path.pop_back();
  }
}

std::vector<Path> paths_of(const Node& root) {
  std::vector<Path> out;
  Path path;
  collect_paths(root, path, out);
  return out;
}

bool is_format(const Sort& sort) { return is_integer(sort) || numerics::format_named(sort).has_value(); }
bool is_expression(const Sort& sort) { return is_format(sort) || sort.find('[') != Sort::npos || sort[0] == '('; }

/// The simplest texts of a sort.
std::vector<std::string> simplest(const Sort& sort) {
  if (is_format(sort)) return {sort + "(1)", sort + "(0)"};
  if (sort == "index") return {"0"};
  if (sort == "bool") return {"true", "false"};
  if (sort == "schedule") return {"seq", "tree"};
  if (sort == "stage") return {"tile(2, seq)", "lanes(2, seq)"};
  if (sort == "size") return {"1", "2"};
  return {};
}

class Shrinker {
 public:
  Shrinker(Case failing, Disagreement disagreement, const ShrinkOptions& options)
      : now_(std::move(failing)), found_(std::move(disagreement)), options_(options) {
    // From here on only what disagreed is asked, on the trial that showed it.
    now_.question.trials = {found_.trial};
    now_.question.variants.clear();
    if (found_.variant) now_.question.variants.insert(*found_.variant);
  }

  Shrunk run() {
    bool better = true;
    while (better && !spent()) {
      better = false;
      better |= simplify_trial();
      better |= simplify_main();
      better |= simplify_nodes();
    }
    return {std::move(now_), std::move(found_), questions_};
  }

 private:
  bool spent() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return questions_ >= options_.questions || taken.count() > options_.seconds;
  }

  /// Keeps the candidate if it still disagrees.
  bool try_case(Case candidate) {
    if (spent()) return false;
    write_out(candidate);
    const std::string& source = candidate.question.source;
    if (source.size() > now_.question.source.size() + 200) return false;
    ++questions_;
    const auto found = options_.ask ? options_.ask(candidate.question) : ask(candidate.question);
    if (!found || found->kind != found_.kind || found->variant != found_.variant) return false;
    now_ = std::move(candidate);
    found_ = *found;
    return true;
  }
  bool try_root(Node root) {
    Case candidate = now_;
    candidate.program.root = std::move(root);
    return try_case(std::move(candidate));
  }

  bool simplify_trial() {
    bool better = false;
    const auto with = [&](auto change) {
      Case candidate = now_;
      change(candidate.question.trials[0]);
      if (try_case(std::move(candidate))) return better = true;
      return false;
    };
    for (int kind : {4, 3, 0}) {
      const Trial trial = now_.question.trials[0];
      if (trial.inputs == kind) break;
      if (with([&](Trial& changed) { changed.inputs = kind; })) break;
    }
    const auto sizes = now_.question.trials[0].sizes;
    for (const auto& [name, size] : sizes) {
      for (std::int64_t smaller : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, size / 4, size / 2, size - 1}) {
        if (smaller < 1 || smaller >= now_.question.trials[0].sizes[name]) continue;
        if (with([&](Trial& changed) { changed.sizes[name] = smaller; })) break;
      }
    }
    return better;
  }

  /// The whole circuit replaced by anything inside it, whatever its type.
  bool simplify_main() {
    bool better = false;
    for (bool again = true; again && !spent();) {
      again = false;
      Node& main = now_.program.root.children.back();
      std::vector<Path> paths = paths_of(main.children[2]);
      // Small ones first: if one of them shows it, much is won.
      std::vector<std::pair<std::size_t, Path>> inside;
      for (const Path& path : paths) {
        const Node& node = at(main.children[2], path);
        if (!path.empty() && is_expression(node.sort)) inside.push_back({size(node), path});
      }
      std::sort(inside.begin(), inside.end());
      for (const auto& [count, path] : inside) {
        Node root = now_.program.root;
        Node& changed = root.children.back();
        Node part = at(changed.children[2], path);
        changed.children[1].pattern.clear();
        changed.children[2] = std::move(part);
        if (try_root(std::move(root))) {
          again = better = true;
          break;
        }
      }
    }
    return better;
  }

  bool simplify_nodes() {
    bool better = false;
    // From the front; after a success the same place is looked at again, since it holds something else.
    for (std::size_t position = 0; !spent();) {
      const std::vector<Path> paths = paths_of(now_.program.root);
      if (position >= paths.size()) break;
      if (simplify(paths[position])) better = true;
      else ++position;
    }
    return better;
  }

  bool simplify(const Path& path) {
    const Node node = at(now_.program.root, path);
    const auto replace = [&](const Node& with) {
      Node root = now_.program.root;
      at(root, path) = with;
      return try_root(std::move(root));
    };
    if (node.sort == "let" || node.sort == "item" || node.sort == "parameter") {
      Node root = now_.program.root;
      Path parent(path.begin(), path.end() - 1);
      auto& children = at(root, parent).children;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(path.back()));
      if (try_root(std::move(root))) return true;
    }
    for (const std::string& text : simplest(node.sort)) {
      if (node.pattern == text) break;
      if (replace({node.sort, text, {}, {}, {}})) return true;
    }
    if (is_expression(node.sort) || node.sort == "index" || node.sort == "bool" || node.sort == "schedule" || node.sort == "stage") {
      for (const Path& inside : paths_of(node)) {
        if (inside.empty()) continue;
        Node copy = node;
        const Node& part = at(copy, inside);
        if (part.sort == node.sort && replace(part)) return true;
      }
      // What a let names, in the place of its name.
      if (node.children.empty()) {
        for (const Path& other : paths_of(now_.program.root)) {
          const Node& let = at(now_.program.root, other);
          if (let.sort != "let" || let.pattern != "let " + node.pattern + " = $0;") continue;
          if (replace(Node(let.children[0]))) return true;
        }
      }
    }
    return false;
  }

  Case now_;
  Disagreement found_;
  const ShrinkOptions& options_;
  int questions_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void write_out(Case& each) {
  each.question.source = text(each.program.root, Spelling::plain);
  each.question.other_source = text(each.program.root, Spelling::other);
}

Shrunk shrink(Case failing, Disagreement disagreement, const ShrinkOptions& options) {
  return Shrinker(std::move(failing), std::move(disagreement), options).run();
}

std::string report(const Case& failing, const Disagreement& disagreement) {
  std::string sizes;
  for (const auto& [name, size] : disagreement.trial.sizes) sizes += fmt::format(" {} = {}", name, size);
  std::string out = fmt::format("program {} under {}, {}: {}\n{}\n", failing.program.seed, failing.question.semantics,
                                disagreement.variant ? name(*disagreement.variant) : "at the start", disagreement.what,
                                failing.question.source);
  if (disagreement.variant == Variant::other_spelling) out += "in other words:\n" + failing.question.other_source + "\n";
  out += fmt::format("sizes:{}; arguments of kind {}, seed {}\n", sizes, disagreement.trial.inputs, disagreement.trial.seed);
  return out + disagreement.arguments + disagreement.results;
}

}  // namespace reckon::differential
