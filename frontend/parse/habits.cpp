#include "frontend/parse/habits.h"

#include <ReckonLexer.h>

#include <algorithm>
#include <span>

#include "frontend/parse/slashes.h"
#include "frontend/parse/token_scan.h"

namespace reckon::frontend {

using antlr4::Token;
using grammar::ReckonLexer;

namespace {

/// `pattern` is what stands around the mistake: the spellings of tokens with spaces between, of which the one that begins
/// with `@` is the mistake's. NAME is any name, WORD any name or keyword, NUMBER a number, ANY any token, BEGIN the beginning of the text, and
/// `np|torch` one of the two. In the help, $1 is the first NAME or WORD of the pattern, and so on. The first row that
/// matches counts, so special ones stand before general ones.
struct Habit {
  std::string_view pattern, help;
  std::string_view expected = {};  ///< a part of the words for what was expected
  bool parameters = false;         ///< only between the parentheses of `fn f(...)`
};

// What stands where an item should begin.
constexpr Habit items[] = {
    {"@def", "a circuit is `fn f(x: f32[n]) -> f32 = ...`, and a static function is `let f(a) = ...`"},
    {"@print|printf", "a value is printed by `show`: `show f(2)`"},
    {"@return", "there is no `return`: a body is one expression, `= e` or `{ let y = ...; e }`"},
    {"@from", "the definitions of a file are brought in by `import \"file.rk\"`, all of them"},
    {"@include", "the definitions of a file are brought in by `import \"file.rk\"`"},
    {"@const|var|auto NAME", "a value is named by `let`: `let $1 = ...`"},
    {"@if", "a choice is an expression: `if c { a } else { b }` of static values, `select(c, a, b)` of numbers"},
    {"@while",
     "there are no loops: `for i: e` makes a tensor, `sum i: e` and `reduce(f) i: e` fold, `scan` keeps the prefixes; "
     "`until(f, done, x, at_most k)` repeats a function"},
    {"@for",
     "`for i: e` is an expression, the tensor of e for each i: `show for i: x[i] * 2`; `for k in {1, 2}: show k` "
     "repeats an item"},
    {"@class NAME", "values that belong together are a type with named parts: `type $1 = (x: f32, y: f32)`"},
    {"@struct NAME", "values that belong together are a type with named parts: `type $1 = (x: f32, y: f32)`"},
    {"@template", "a static parameter stands in brackets: `fn f[T](x: T[n]) -> T = ...`"},
    {"@__global__", "a circuit is `fn f(x: f32[n]) -> f32 = ...`; `reckon compile` makes its kernel"},
    {"@NAME NAME (", "a circuit is `fn $2(x: f32[n]) -> f32 = ...`"},
    {"@NAME = ", "a value is named by `let`: `let $1 = ...`"},
    {"@NAME NAME =", "a value is named by `let`: `let $2 = ...`"},
    {"@NAME + =", "values do not change: a sum is `sum i: x[i]`, and a new value gets a new name"},
    {"@NAME (", "a value is printed by `show`: `show $1(...)`"},
};

// What belongs to an object or a module elsewhere.
constexpr Habit members[] = {
    {"math|np|numpy|jnp|torch|tl @. sum|prod|max|min|mean", "what runs over elements has an index: `sum i: x[i]`, `max i: x[i]`"},
    {"NAME @. shape|size", "the sizes of a parameter `$1: f32[m, n]` are `m` and `n`"},
    {"NAME @. T", "a transposed matrix is `for j, i: $1[i, j]`"},
    {"ANY @. sum ( )", "a sum is `sum i: x[i]`, of a value that has a name"},
    {"NAME @. sum", "a sum is `sum i: $1[i]`"},
    {"NAME @. prod", "a product is `prod i: $1[i]`"},
    {"NAME @. mean", "a mean is `(sum i: $1[i]) / f32(n)`"},
    {"NAME @. max ( )", "the largest element is `max i: $1[i]`"},
    {"NAME @. min ( )", "the smallest element is `min i: $1[i]`"},
    {"math|np|numpy|jnp|torch|tl @. fabs|absolute", "functions have no module: `abs(x)`"},
    {"math|np|numpy|jnp|torch|tl @. power", "functions have no module: `pow(x, y)`"},
    {"math|np|numpy|jnp|torch|tl @. maximum", "functions have no module: `max(x, y)`"},
    {"math|np|numpy|jnp|torch|tl @. minimum", "functions have no module: `min(x, y)`"},
    {"math|np|numpy|jnp|torch|tl @. NAME", "functions have no module: `$1(x)`"},
    {"NAME @. WORD ( )", "functions stand before their operands: `$2($1)`"},
    {"NAME @. WORD (", "functions stand before their operands: `$2($1, ...)`"},
    {"ANY @. WORD (", "functions stand before their operands: `$1(...)`"},
};

constexpr Habit anywhere[] = {
    // Operators
    {"@* *", "a power is written `pow(x, y)`"},
    {"* @*", "a power is written `pow(x, y)`"},
    {"& @&", "conditions are joined by `and`"},
    {"| @|", "conditions are joined by `or`"},
    {"+ @+", "values do not change: write `x + 1`"},
    {"@+ +", "values do not change: write `x + 1`"},
    {"- @=", "values do not change: a new value gets a new name, `let y = x - 1`"},
    {"+ @=", "values do not change: a sum is `sum i: x[i]`, and a new value gets a new name"},
    {"* @=", "values do not change: a product is `prod i: x[i]`, and a new value gets a new name"},
    {"@/ *", "a comment begins with `#`"},
    {"/ @*", "a comment begins with `#`"},
    {"@?", "a choice is `select(x > 0, a, b)`"},
    {"NUMBER @!", "a factorial is a product, `prod i < n: f64(i + 1)`; negation is written `not`"},
    {"@!", "negation is written `not`"},
    {"@^", "a power is `pow(x, y)`, exclusive or is `xor`"},
    {"@~", "negation is written `not`; the bits of an integer are inverted by `-x - 1`"},
    {"@×|·", "a product is written `*`"},
    {"@÷", "a quotient is written `/`"},
    {"@−", "a difference is written `-`"},
    {"@≤", "write `<=`"},
    {"@≥", "write `>=`"},
    {"@≠", "write `!=`"},
    {"@π", "the constant is written `pi`"},
    {"@∞", "the number is written `inf`"},
    {"@√", "a root is written `sqrt(x)`"},
    {"@²", "a square is written `x * x`"},
    {"@Σ|∑", "a sum is written `sum i: x[i]`"},
    {"@∏", "a product is written `prod i: x[i]`"},
    {"@“|”", "strings stand in `\"`"},
    {") @. NUMBER", "the parts of a tuple get names: `let (a, b) = t`; `type pair = (a: f32, b: f32)` has `t.a`"},
    {"NAME @. NUMBER", "the parts of a tuple get names: `let (a, b) = $1`; `type pair = (a: f32, b: f32)` has `$1.a`"},
    {"@.", "a decimal point stands between digits: `1.0`"},
    {"std @: : NAME", "functions have no module: `$1(x)`"},
    // Parameters
    {"NAME @f64|f32|f16|bf16|int|bool", "a parameter is a name and its type: `$1: f32[n]`", "`:`", true},
    {"NAME @NAME", "a parameter is a name and its type: `$2: f32[n]`", "`:`", true},
    {"NAME @)", "a parameter has a type: `$1: f32[n]`", "`:`", true},
    {"NAME @,", "a parameter has a type: `$1: f32[n]`", "`:`", true},
    {"NAME @=", "a parameter has a type, and no value but its argument: `$1: f32`", "`:`", true},
    // Binders
    {"lambda @NAME", "a function is named: `let f($1) = ...`, or `fn f($1: f32) -> f32 = ...`"},
    {"( NAME ) @->", "a function has a name: `let f($1) = ...`, or `fn f($1: f32) -> f32 = ...`"},
    {", NAME ) @->", "a function has a name: `let f(a, b) = ...`, or `fn f(a: f32, b: f32) -> f32 = ...`"},
    {"NAME @= >", "a function has a name: `let f($1) = ...`, or `fn f($1: f32) -> f32 = ...`", "an operator"},
    {"[ @: ,", "a column is written by its elements: `for i: x[i, k]`"},
    {", @: ]", "a row is written by its elements: `for i: x[k, i]`"},
    {"[ @:", "a part of a tensor is written by its elements: `for i < 5: x[i]`"},
    {", @:", "a part of a tensor is written by its elements: `for i < 5: x[k, i]`", "an expression"},
    {"mean|average|avg @NAME", "a mean is `(sum $1: x[$1]) / f32(n)`"},
    {"product @NAME :", "a product is `prod $1: x[$1]`"},
    {"maximum @NAME :", "the largest element is `max $1: x[$1]`"},
    {"minimum @NAME :", "the smallest element is `min $1: x[$1]`"},
    {"argmax @NAME",
     "`argmax` is a reduction of pairs by a function that keeps the larger: `reduce(f) $1: (x[$1], f32($1))`"},
    {"argmin @NAME",
     "`argmin` is a reduction of pairs by a function that keeps the smaller: `reduce(f) $1: (x[$1], f32($1))`"},
    {"WORD NAME @in", "an index takes the range of what it subscripts, `$1 $2: x[$2]`; `$1 $2 < n: ...` states it"},
    {"ANY NAME @in", "an index takes the range of what it subscripts, `sum i: x[i]`; `sum i < n: ...` states it",
     "`:`"},
    {"over @NAME", "the index follows the binder: `sum $1: x[$1]`", "`:`"},
    {"ANY NAME @=", "an index counts from 0: `sum i: x[i]`, or `sum i < n: ...` where no subscript says how far",
     "`:`"},
    {"ANY NAME @if", "which leaves take part is said by `where`: `sum i where x[i] > 0: x[i]`", "`:`"},
    {"for @(", "an index stands without parentheses: `for i: x[i] * 2`, `for i < n: ...`"},
    {"sum @( NAME )", "`sum` runs over an index: `sum i: $1[i]`"},
    {"prod @( NAME )", "`prod` runs over an index: `prod i: $1[i]`"},
    {"sum @(", "`sum` runs over an index: `sum i: x[i]`"},
    {"prod @(", "`prod` runs over an index: `prod i: x[i]`"},
    {"ANY NAME @<=", "an index stays below its bound: `$1 < n + 1`", "`:`"},
    {"sum NAME @ANY", "`sum` runs over an index: `sum i: $1[i]`", "`:`"},
    {"prod NAME @ANY", "`prod` runs over an index: `prod i: $1[i]`", "`:`"},
    {"ANY @= >", "a function that `reduce` and `scan` take has a name: `fn f(a: f32, b: f32) -> f32 = ...`", "`)`"},
    {"for NAME @{", "the body follows a colon: `for $1: x[$1] * 2`"},
    {"reduce ( NAME @,",
     "the index stands behind the parentheses: `reduce($1) i: x[i]`; with a start it is `fold($1, start) i: x[i]`"},
    {"scan|fold ( NAME , NAME ) @<EOF>|show|check|fn|let|;|,|)|}",
     "the index stands behind the parentheses: `scan($1) i: $2[i]`, or, with a start, `fold($1, start) i: $2[i]`",
     "a name"},
    {"@for NAME in {", "the sizes of a check stand behind a colon: `for $1: {1, 2}`"},
    {"} : @ANY", "a value is printed by `show`: `for k in {1, 2}: show k`", "`show` or `check`"},
    {"@for NAME in", "a tensor is written by its elements: `for $1: x[$1] * 2`"},
    // Choices
    {"reduce|fold ( @+ )", "a sum is `sum i: x[i]`; other reductions are by a function, `reduce(f) i: x[i]`"},
    {"reduce|fold ( @* )", "a product is `prod i: x[i]`; other reductions are by a function, `reduce(f) i: x[i]`"},
    {"scan ( @+|* )", "a scan is by a function: with `fn f(a: f32, b: f32) -> f32 = a + b`, `scan(f) i: x[i]`"},
    {"@else", "a choice is `if c { a } else { b }` of static values, and `select(c, a, b)` of numbers", "`{`"},
    {"@if", "a choice is `select(c, a, b)` of numbers, and `if c { a } else { b }` of static values", "an operator"},
    {"@where|with NAME =", "a check states its sizes by `for $1: {1, 33}`", "the next item"},
    {"@where",
     "a reduction has its condition before the colon, `sum i where x[i] > 0: x[i]`; a check states its sizes and "
     "inputs by `for n: {1, 33}, x: -1..1`",
     "the next item"},
    // Definitions
    {"def @NAME", "a circuit is `fn $1(x: f32[n]) -> f32 = ...`, and a static function is `let $1(a) = ...`"},
    {"return @ANY", "there is no `return`: the value of `{ ... }` is its last expression"},
    {"var|auto @NAME", "a value is named by `let`: `let $1 = ...`", "`}`"},
    {"NAME @NAME =", "a value is named by `let`: `let $2 = ...`", "`}`"},
    {"NAME @=", "values do not change: a new value gets a name by `let`", "`}`"},
    {"[ @]", "the sizes of a tensor have names: `f32[n]`, `f32[m, n]`"},
    {"] @[", "a tensor has one pair of brackets: `f32[m, n]`, `x[i, j]`"},
    {"fn NAME @<", "a static parameter stands in brackets: `fn $1[T](x: T[n]) -> T = ...`"},
    {") @:", "the result's type follows `->`: `fn f(x: f32) -> f32 = ...`", "`->`"},
    {"ANY @:", "the body follows `=`: `fn f(x: f32) -> f32 = x`", "`{` or `=`"},
    {"= @>", "the result's type follows `->`, and the body `=`: `fn f(x: f32) -> f32 = x`"},
    {"( NAME ) @NAME", "a conversion is called like a function: `f32($2)`"},
    {"( NAME ) @ANY", "a conversion is called like a function: `f32(x)`, and a product is written `*`"},
    {"import ANY @as", "an import brings in all definitions of a file, by their own names"},
    {"ANY @as NAME", "a conversion is called like a function: `$1(x)`"},
    {"import @numpy|math|torch|jax|scipy",
     "the functions are here already: `exp(x)`; a file of definitions is imported by its name in quotes"},
    {"import @NAME", "a file is named in quotes: `import \"file.rk\"`"},
    {"' @NAME", "a string stands in `\"`; after `'` follows a tree of leaves, `'((0 1) 2)`"},
    {"sum_i @NAME", "a sum is written `sum i: $1[i]`"},
    {"NAME @NAME :", "a binder is `for`, `sum`, `prod`, `min`, `max`, `reduce(f)` or `scan(f)`: `sum $2: x[$2]`"},
    {"NAME @NAME", "two values are joined by an operator: `$1 * $2`", "an operator"},
    {"BEGIN NAME @=", "a value is named by `let`: `let $1 = ...`; equality is written `==`"},
    {"( NAME @=", "arguments are given by position; equality is written `==`", "`)`"},
    {", NAME @=", "arguments are given by position; equality is written `==`", "`)`"},
    {"ANY @=", "equality is written `==`"},
};

constexpr std::string_view word_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Whether a token's spelling is what a word of a pattern wants.
bool matches(std::string_view wanted, std::string_view spelling, const Token* token) {
  if (wanted == "ANY") return token->getType() != Token::EOF;
  if (wanted == "NAME") return is_name(token->getType());
  if (wanted == "NUMBER") return token->getType() == ReckonLexer::NUMBER;
  if (wanted == "WORD") return spelling.find_first_not_of(word_letters) == std::string_view::npos;
  // A lone `|` is itself.
  for (std::size_t bar; wanted.size() > 1 && (bar = wanted.find('|')) != std::string_view::npos;) {
    if (wanted.substr(0, bar) == spelling) return true;
    wanted.remove_prefix(bar + 1);
  }
  return wanted == spelling;
}

class Matcher {
 public:
  Matcher(const std::vector<Token*>& tokens, const Mistake& mistake) : tokens_(tokens), mistake_(mistake) {}

  std::optional<std::string> help(const Habit& habit) {
    if (habit.expected != std::string_view() && mistake_.expected.find(habit.expected) == std::string_view::npos) {
      return std::nullopt;
    }
    if (habit.parameters && !among_parameters()) return std::nullopt;
    std::vector<std::string_view> words = split(habit.pattern);
    const auto marked = std::find_if(words.begin(), words.end(), [](auto word) { return word.starts_with('@'); });
    if (marked == words.end()) return std::nullopt;
    const auto middle = static_cast<std::size_t>(marked - words.begin());
    std::vector<std::string> names(words.size());
    for (std::size_t k = middle, at = mistake_.token; k-- > 0;) {
      const auto before = visible_before(at);
      if (words[k] == "BEGIN") {
        if (before) return std::nullopt;
        continue;
      }
      if (!before || !take(words[k], *before, names[k])) return std::nullopt;
      at = *before;
    }
    const std::string_view wanted = marked->substr(1);
    if (!matches(wanted, mistake_.spelling, tokens_[mistake_.token])) return std::nullopt;
    if (wanted == "NAME") names[middle] = mistake_.spelling;
    std::size_t at = mistake_.after;
    for (std::size_t k = middle + 1; k < words.size(); ++k, ++at) {
      while (at + 1 < tokens_.size() && tokens_[at]->getChannel() != Token::DEFAULT_CHANNEL) ++at;
      if (at >= tokens_.size() || !take(words[k], at, names[k])) return std::nullopt;
    }
    std::erase(names, "");
    return filled(habit.help, names);
  }

 private:
  static std::vector<std::string_view> split(std::string_view pattern) {
    std::vector<std::string_view> words;
    while (!pattern.empty()) {
      const std::size_t end = std::min(pattern.find(' '), pattern.size());
      if (end > 0) words.push_back(pattern.substr(0, end));
      pattern.remove_prefix(std::min(end + 1, pattern.size()));
    }
    return words;
  }

  std::optional<std::size_t> visible_before(std::size_t at) const {
    while (at-- > 0) {
      const bool unexpected = tokens_[at]->getType() == ReckonLexer::UNEXPECTED;
      if (unexpected || tokens_[at]->getChannel() == Token::DEFAULT_CHANNEL) return at;
    }
    return std::nullopt;
  }

  /// Whether the innermost bracket that is open before the mistake is that of `fn f(` or `fn f[...](`.
  bool among_parameters() const {
    int closed = 0;
    bool found = false;
    for (auto at = visible_before(mistake_.token); at; at = visible_before(*at)) {
      const std::string spelling = tokens_[*at]->getText();
      if (spelling == ")" || spelling == "]" || spelling == "}") {
        ++closed;
      } else if (spelling == "(" || spelling == "[" || spelling == "{") {
        if (closed > 0) --closed;
        else if (found || spelling != "(") return false;
        else found = true;
      } else if (found && closed == 0) {
        if (spelling == "fn") return true;
        if (!is_name(tokens_[*at]->getType())) return false;
      }
    }
    return false;
  }

  bool take(std::string_view word, std::size_t at, std::string& name) const {
    const std::string spelling = tokens_[at]->getText();
    if (!matches(word, spelling, tokens_[at])) return false;
    if (word == "NAME" || word == "WORD") name = spelling;
    return true;
  }

  static std::string filled(std::string_view help, const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t k = 0; k < help.size(); ++k) {
      if (help[k] == '$' && k + 1 < help.size()) {
        const auto which = static_cast<std::size_t>(help[++k] - '1');
        out += which < names.size() ? names[which] : "x";
      } else {
        out += help[k];
      }
    }
    return out;
  }

  const std::vector<Token*>& tokens_;
  const Mistake& mistake_;
};

}  // namespace

bool belongs_to_object(const std::vector<Token*>& tokens, const Mistake& mistake) {
  Matcher matcher(tokens, mistake);
  return std::ranges::any_of(members, [&](const Habit& habit) { return matcher.help(habit).has_value(); });
}

std::optional<std::string> habit_help(const std::vector<Token*>& tokens, const Mistake& mistake) {
  Matcher matcher(tokens, mistake);
  const auto first_of = [&](std::span<const Habit> habits) {
    std::optional<std::string> help;
    for (std::size_t k = 0; k < habits.size() && !help; ++k) help = matcher.help(habits[k]);
    return help;
  };
  if (mistake.may_begin_item) {
    if (auto help = first_of(items)) return help;
  }
  if (mistake.begins_item) return std::nullopt;
  if (behind_slashes(mistake.text, tokens[mistake.token]->getStartIndex())) return std::string(comment_help);
  if (auto help = first_of(members)) return help;
  return first_of(anywhere);
}

}  // namespace reckon::frontend
