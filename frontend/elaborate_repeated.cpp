// Items that are repeated for several static values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostics/codes/static_depth.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/items.h"
#include "frontend/static_choices.h"

namespace reckon::frontend {
namespace {

/// The item once for each value of its static names.
class RepeatedElaboration {
 public:
  RepeatedElaboration(Elaborator& elaborator, std::uint32_t program, const Item& item)
      : elaborator_(elaborator), program_(program), item_(item) {}

  std::vector<ElaboratedItem> run() {
    const Scope empty;
    repeat(0, empty);
    label();
    return std::move(out_);
  }

 private:
  bool repeat(std::size_t at, const Scope& scope) {
    const Context context{program_, &scope};
    if (at == item_.repeated_for.size()) return add(context);
    const StaticRange& range = item_.repeated_for[at];
    const auto values = values_of(context, range);
    if (!values) return false;
    for (const StaticChoice& each : *values) {
      Scope inner(&scope);
      inner.bind(range.name.text, each.value);
      given_.emplace_back(range.name.text, each.text);
      const bool good = repeat(at + 1, inner);
      given_.pop_back();
      if (!good) return false;
    }
    return true;
  }

  bool add(const Context& context) {
    const std::size_t reported = elaborator_.diagnostics.size();
    if (out_.size() == most_static_choices) {
      elaborator_.fail(code::static_depth, item_.repeated_for.front().name.span,
                       fmt::format("an item is repeated for at most {} values", most_static_choices));
      return false;
    }
    auto one = elaborate_item(elaborator_, context, item_);
    if (!one) {
      std::vector<std::string> texts;
      for (const auto& [name, text] : given_) texts.push_back(fmt::format("{} = {}", name, text));
      for (std::size_t k = reported; !texts.empty() && k < elaborator_.diagnostics.size(); ++k) {
        elaborator_.diagnostics[k].notes.push_back(fmt::format("this is for {}", fmt::join(texts, ", ")));
      }
      return false;
    }
    one->given = given_;
    out_.push_back(std::move(*one));
    return true;
  }

  std::optional<std::vector<StaticChoice>> values_of(const Context& context, const StaticRange& range) {
    if (range.is_set) return elements_of_set(elaborator_, context, range.values);
    if (range.values.size() == 2) return integers_between(elaborator_, context, range.values[0], range.values[1]);
    std::vector<StaticChoice> out;
    for (const ExprId id : range.values) {
      const SourceSpan at = elaborator_.expr(context, id).span;
      auto value = elaborator_.elaborate(context, id);
      if (!value) return std::nullopt;
      const auto* list = value->get_if<ListValue>();
      if (list == nullptr) {
        return elaborator_.report(Diagnostic(code::static_needed, at,
                                             fmt::format("`{}` takes the values of a set, a range or a list",
                                                         range.name.text))
                                      .help(fmt::format("write `for {0} in {{64, 128}}: ...`, `for {0} in 1..4: ...`, or "
                                                        "name a list",
                                                        range.name.text)));
      }
      for (const Value& each : list->elements) out.push_back({each, elaborator_.value_text(each)});
    }
    return out;
  }

  void label() {
    for (std::size_t name = 0; name < item_.repeated_for.size(); ++name) {
      std::size_t width = 0;
      for (const ElaboratedItem& each : out_) width = std::max(width, each.given[name].second.size());
      for (ElaboratedItem& each : out_) {
        each.label += fmt::format("{} = {:<{}}  ", each.given[name].first, each.given[name].second, width);
      }
    }
  }

  Elaborator& elaborator_;
  const std::uint32_t program_;
  const Item& item_;
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<ElaboratedItem> out_;
};

}  // namespace

std::vector<ElaboratedItem> elaborate_all(Elaborator& elaborator, std::uint32_t program, const Item& item) {
  return RepeatedElaboration(elaborator, program, item).run();
}

}  // namespace reckon::frontend
