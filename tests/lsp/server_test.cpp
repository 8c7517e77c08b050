// A scripted editor goes through each feature of the language server.
#include <filesystem>
#include <fstream>

#include "tests/lsp/client.h"
#include "tests/support/files.h"

using namespace reckon::test;

namespace {

const char* const program = R"(import "schedules"
# The dot product, in an order of its own.
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(4, tree) then tree
let order = numpy
fn mean(x: f32[n]) -> f32 { let s = sum i: x[i] by order; s / f32(n) }
check dot == dot in fpsan for n: {4}
show mean([1, 2, 3])
)";

std::vector<std::string> texts(const Client& client, const Json& locations) {
  std::vector<std::string> out;
  for (const Json& each : locations) out.push_back(client.words(each["range"]));
  return out;
}

int line_of(const Json& location) { return location["range"]["start"]["line"]; }

std::string hovered(Client& client, const Json& at) {
  const Json answer = client.request("textDocument/hover", at);
  return answer.is_null() ? "" : answer["contents"]["value"].get<std::string>();
}

}  // namespace

TEST_CASE("a session of an editor begins with initialize and ends with exit") {
  Client client(Json::object(), false);
  CHECK(client.answer("textDocument/hover")["error"]["code"] == -32002);
  const Json answer = client.request("initialize", {{"capabilities", Json::object()}});
  CHECK(answer["serverInfo"]["name"] == "reckon");
  CHECK(answer["capabilities"]["positionEncoding"] == "utf-16");
  CHECK(answer["capabilities"]["hoverProvider"] == true);
  CHECK(client.answer("textDocument/nothingLikeIt")["error"]["code"] == -32601);
  CHECK(client.answer("textDocument/hover")["error"]["code"] == -32602);
  CHECK(client.answer("textDocument/hover", {{"textDocument", {{"uri", "file:///not/open.rk"}}},
                                             {"position", {{"line", 0}, {"character", 0}}}})["error"]["code"] == -32602);
  CHECK(client.request("shutdown").is_null());
  CHECK(client.answer("textDocument/hover")["error"]["code"] == -32600);
  CHECK(client.leave(false) == 0);
}

TEST_CASE("an editor that leaves without shutdown, or is gone, is a failure") {
  Client client;
  CHECK(client.leave(false) == 1);
}

TEST_CASE("what is no message is answered, and the next message is read") {
  Client client;
  CHECK(client.raw("Content-Length: 3\r\n\r\n{x}")["error"]["code"] == -32700);
  CHECK(client.raw("Content-Length: x\r\n\r\n")["error"]["code"] == -32700);
  CHECK(client.raw("Content-Type: a\r\ncontent-length: 2\r\n\r\n[]")["error"]["code"] == -32700);
  CHECK(client.open("file:///a.rk", program).empty());
  CHECK(client.leave() == 0);
}

TEST_CASE("diagnostics follow the text, with a correction where there is one") {
  Client client;
  CHECK(client.open("file:///a.rk", program).empty());
  const auto wrong = client.replace("show 1\nshow sqr(2)\nfn f(x: f32) -> f32 = x + y\n");
  REQUIRE(wrong.size() == 2);
  CHECK(client.words(wrong[0]["range"]) == "sqr");
  CHECK(wrong[0]["severity"] == 1);
  CHECK(wrong[0]["code"] == "E0200");
  CHECK_THAT(wrong[0]["message"].get<std::string>(), Catch::Equals("`sqr` is not defined\nhelp: did you mean `sqrt`?"));
  CHECK(client.words(wrong[1]["range"]) == "y");
  Json where = client.document();
  where["range"] = wrong[0]["range"];
  where["context"] = {{"diagnostics", Json::array()}};
  const Json actions = client.request("textDocument/codeAction", where);
  REQUIRE(actions.size() == 1);
  CHECK(actions[0]["title"] == "write `sqrt`");
  const Json edit = actions[0]["edit"]["changes"]["file:///a.rk"][0];
  CHECK(client.words(edit["range"]) == "sqr");
  CHECK(edit["newText"] == "sqrt");
  // A mistake of syntax does not undefine what stands elsewhere.
  const auto syntax = client.replace("let a = (1\nlet b = 2\nshow b + a\n");
  REQUIRE(syntax.size() == 1);
  CHECK(syntax[0]["code"] == "E0102");
  client.notify("textDocument/didClose", client.document());
  CHECK(client.diagnostics().empty());
}

TEST_CASE("kernels of PTX: mistakes stand at the call and at the line of the kernel, and sizes are names of the call") {
  const std::string folder = (data_folder() / "ptx").string();
  const std::string call = "kernel theirs = ptx(\"kernels_sm_80.ptx\", \"sum_by_shuffles\", grid: 1, block: 128, ";
  Client client;
  const auto wrong = client.open("file://" + folder + "/a.rk", call + "x: f32[10], f32[1], 11)\n");
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0]["code"] == "E0631");
  CHECK(client.words(wrong[0]["range"]).starts_with("ptx(\"kernels_sm_80.ptx\""));
  REQUIRE(wrong[0]["relatedInformation"].size() == 1);
  const Json place = wrong[0]["relatedInformation"][0]["location"];
  CHECK(place["uri"] == "file://" + folder + "/kernels_sm_80.ptx");
  CHECK(place["range"]["start"]["line"] == 204);  // ld.global.f32
  const auto note = client.replace("let n = 3\n" + call + "n: [1000, 512, 300], x: f32[n], f32[1], n)\nlet m = n\n");
  REQUIRE(note.size() == 1);  // of where it is read off
  CHECK(note[0]["severity"] == 3);
  Json rename = client.at("n: [1000");
  rename["newName"] = "length_";
  const Json edits = client.request("textDocument/rename", rename)["changes"]["file://" + folder + "/a.rk"];
  CHECK(edits.size() == 3);
  CHECK(hovered(client, client.at("theirs")).find("fn theirs(x: f32[n]) -> f32[1]") != std::string::npos);
}

TEST_CASE("edits of parts of a text, in units of UTF-16 and in code points") {
  for (const bool code_points : {false, true}) {
    Json capabilities = Json::object();
    if (code_points) capabilities["general"]["positionEncodings"] = {"utf-8", "utf-32"};
    Client client(capabilities);
    const int wide = code_points ? 1 : 2;  // of a character beyond the basic plane
    // `# 𝕩 é` is 6 or 7 units; behind it the line says `let`.
    CHECK(client.open("file:///a.rk", "show 1\nshow \"\U0001D569\", b\n").size() == 1);
    const Json change{{"range",
                       {{"start", {{"line", 1}, {"character", 5}}}, {"end", {{"line", 1}, {"character", 11 + wide - 1}}}}},
                      {"text", "2"}};
    client.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///a.rk"}, {"version", 2}}}, {"contentChanges", {change}}});
    CHECK(client.diagnostics().empty());
    const Json symbols = client.request("textDocument/documentSymbol", client.document());
    CHECK(symbols.empty());
    const Json edits = client.request("textDocument/formatting", client.document());
    CHECK(edits.empty());
  }
}

TEST_CASE("columns of diagnostics count what the editor counts") {
  Client client;
  const auto found = client.open("file:///a.rk", "show parens(\"\U0001D569\u00e9\", yy)\n");
  REQUIRE(!found.empty());
  Json place;
  for (const Json& each : found) {
    if (each["code"] == "E0200") place = each["range"];
  }
  REQUIRE(place.is_object());
  CHECK(place["start"]["character"] == 19);
  CHECK(place["end"]["character"] == 21);
}

TEST_CASE("hover says what a name means") {
  Client client;
  client.open("file:///a.rk", program);
  const std::string dot = hovered(client, client.at("dot"  , 2));
  CHECK_THAT(dot, Catch::Contains("fn dot(x: f32[n], y: f32[n]) -> f32") && Catch::Contains("The dot product, in an order of its own."));
  CHECK_THAT(dot, Catch::Contains("The order for 8 leaves: `(((0 4) (1 5)) ((2 6) (3 7)))`"));
  CHECK_THAT(hovered(client, client.at("x[i] *")), Catch::Contains("x: f32[n]") && Catch::Contains("parameter"));
  CHECK_THAT(hovered(client, client.at("i: x[i] *")), Catch::Contains("index"));
  CHECK_THAT(hovered(client, client.at("n]")), Catch::Contains("dimension"));
  CHECK_THAT(hovered(client, client.at("s / ")), Catch::Contains("s = sum i: x[i] by order") && Catch::Contains("local"));
  CHECK_THAT(hovered(client, client.at("numpy")), Catch::Contains("NumPy's pairwise summation"));
  CHECK_THAT(hovered(client, client.at("sum")), Catch::Contains("**sum, prod**"));
  CHECK_THAT(hovered(client, client.at("fpsan")), Catch::Contains("**fpsan**"));
  CHECK(hovered(client, client.at("# The")).empty());
}

TEST_CASE("from a use to its definition, here and in an imported file") {
  Client client;
  client.open("file:///a.rk", program);
  const auto defined = [&](const Json& at) { return client.request("textDocument/definition", at); };
  CHECK(line_of(defined(client.at("dot in")).at(0)) == 2);
  CHECK(line_of(defined(client.at("order;")).at(0)) == 3);
  CHECK(texts(client, defined(client.at("s / "))) == std::vector<std::string>{"s"});
  const Json library = defined(client.at("numpy"));
  REQUIRE(library.size() == 1);
  CHECK_THAT(library[0]["uri"].get<std::string>(), Catch::StartsWith("file:///") && Catch::EndsWith("stdlib/schedules.rk"));
  CHECK(defined(client.at("lanes")).is_null());
}

TEST_CASE("all uses of a name, of the one that is meant") {
  Client client;
  client.open("file:///a.rk", program);
  const auto lines = [&](Json at, bool with_definition) {
    at["context"] = {{"includeDeclaration", with_definition}};
    std::vector<int> out;
    for (const Json& each : client.request("textDocument/references", at)) out.push_back(line_of(each));
    return out;
  };
  CHECK(lines(client.at("dot"), true).empty());  // the word in the comment is no name
  CHECK(lines(client.at("dot("), true) == std::vector<int>{2, 5, 5});
  CHECK(lines(client.at("dot("), false) == std::vector<int>{5, 5});
  CHECK(lines(client.at("x: f32[n]"), true) == std::vector<int>{2, 2});
  CHECK(lines(client.at("x: f32[n]", 2), true) == std::vector<int>{4, 4});
  CHECK(client.request("textDocument/documentHighlight", client.at("order;")).size() == 2);
}

TEST_CASE("a name is renamed wherever it is meant, in all open files, or not at all") {
  const TemporaryFolder folder;
  write_file(folder.path() / "lib.rk", "let order = seq\nlet own = order\n");
  Client client;
  const std::string base = "file://" + folder.path().string();
  const std::string user = "import \"lib\"\nfn f(x: f32[n]) -> f32 = sum i: x[i] by order\n";
  client.open(base + "/user.rk", user);
  Json at = client.at("order");
  at["newName"] = "other";
  CHECK_THAT(client.answer("textDocument/rename", at)["error"]["message"].get<std::string>(), Catch::Contains("which is not open"));
  client.notify("textDocument/didOpen", {{"textDocument", {{"uri", base + "/lib.rk"}, {"version", 1}, {"text", read_file(folder.path() / "lib.rk")}}}});
  const Json changes = client.request("textDocument/rename", at)["changes"];
  REQUIRE(changes.size() == 2);
  CHECK(changes[base + "/lib.rk"].size() == 2);
  CHECK(texts(client, changes[base + "/user.rk"]) == std::vector<std::string>{"order"});

  Json local = client.at("n]");
  const Json prepared = client.request("textDocument/prepareRename", local);
  CHECK(prepared["placeholder"] == "n");
  local["newName"] = "m";
  CHECK(texts(client, client.request("textDocument/rename", local)["changes"][base + "/user.rk"]) == std::vector<std::string>{"n"});
  const auto refused = [&](const std::string& name) {
    local["newName"] = name;
    return client.answer("textDocument/rename", local)["error"]["message"].get<std::string>();
  };
  CHECK_THAT(refused("2m"), Catch::Contains("is no name"));
  CHECK_THAT(refused("sum"), Catch::Contains("is a word of the language"));
  CHECK_THAT(refused("x"), Catch::Contains("is defined already, in line 2"));
  CHECK_THAT(refused("tree"), Catch::Contains("is defined already"));
  CHECK(client.answer("textDocument/prepareRename", client.at("f32"))["error"]["code"] == -32803);
}

TEST_CASE("completion has what is in scope, the language's names and its words") {
  Client client;
  client.open("file:///a.rk", program);
  const auto labels = [&](const Json& at) {
    std::vector<std::string> out;
    const Json answer = client.request("textDocument/completion", at);
    for (const Json& each : answer["items"]) out.push_back(each["label"]);
    return out;
  };
  using Catch::VectorContains;
  const auto inside = labels(client.at("s / "));
  for (const char* name : {"s", "x", "n", "dot", "mean", "order", "numpy", "sqrt", "f32", "sum", "by", "fpsan"}) {
    CHECK_THAT(inside, VectorContains(std::string(name)));
  }
  CHECK_THAT(inside, !VectorContains(std::string("y")));
  CHECK_THAT(labels(client.at("show")), !VectorContains(std::string("s")));
}

TEST_CASE("symbols and formatting") {
  Client client;
  client.open("file:///a.rk", program);
  std::vector<std::string> names;
  for (const Json& each : client.request("textDocument/documentSymbol", client.document())) names.push_back(each["name"]);
  CHECK(names == std::vector<std::string>{"dot", "order", "mean"});
  CHECK(client.request("textDocument/formatting", client.document()).empty());
  client.replace("let x=1");
  const Json edits = client.request("textDocument/formatting", client.document());
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["newText"] == "let x = 1\n");
  client.replace("let x=");
  CHECK(client.request("textDocument/formatting", client.document()).empty());
}
