// Pictures as PDF: the structure of the file, read here by the rules of ISO 32000-1, and its texts against the SVG's.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "draw/sheet.h"
#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon;
using namespace reckon::test;

namespace {

struct ReadPdf {
  std::map<int, std::string> objects;  ///< by number
  std::string stream;
};

/// Follows `startxref`, the table and its offsets; fails where something is not where it should be.
ReadPdf read_pdf(const std::string& file) {
  ReadPdf out;
  REQUIRE(file.starts_with("%PDF-1.4\n"));
  REQUIRE(file.ends_with("\n%%EOF\n"));
  const std::size_t last = file.rfind("startxref\n");
  REQUIRE(last != std::string::npos);
  const std::size_t table = std::stoul(file.substr(last + 10));
  REQUIRE(file.compare(table, 7, "xref\n0 ") == 0);
  const int size = std::stoi(file.substr(table + 7));
  std::size_t at = file.find('\n', table + 7) + 1;
  // An entry has 20 bytes (7.5.4).
  CHECK(file.substr(at, 20) == "0000000000 65535 f \n");
  for (int number = 1; number < size; ++number) {
    at += 20;
    CHECK(file.substr(at + 10, 10) == " 00000 n \n");
    const std::size_t offset = std::stoul(file.substr(at, 10));
    const std::string head = std::to_string(number) + " 0 obj\n";
    REQUIRE(file.compare(offset, head.size(), head) == 0);
    const std::size_t end = file.find("\nendobj\n", offset);
    REQUIRE(end != std::string::npos);
    out.objects[number] = file.substr(offset + head.size(), end - offset - head.size());
  }
  CHECK(file.substr(at + 20, 8) == "trailer\n");
  CHECK(file.find("/Size " + std::to_string(size) + " /Root 1 0 R", at) != std::string::npos);
  const std::string& contents = out.objects[4];
  const std::size_t length = std::stoul(contents.substr(contents.find("/Length ") + 8));
  const std::size_t begin = contents.find("stream\n") + 7;
  REQUIRE(begin + length <= contents.size());
  CHECK(contents.substr(begin + length) == "endstream");
  out.stream = contents.substr(begin, length);
  return out;
}

struct PlacedText {
  std::string text;
  double left = 0, size = 0;
};

/// The texts that a content stream shows, in their order.
std::vector<PlacedText> texts_of(const std::string& stream) {
  std::vector<PlacedText> out;
  const std::regex shown(R"(BT /F[12] ([0-9.]+) Tf 1 0 0 -1 ([0-9.-]+) [0-9.-]+ Tm \(((?:[^()\\]|\\.)*)\) Tj ET)");
  for (std::sregex_iterator at(stream.begin(), stream.end(), shown), end; at != end; ++at) {
    PlacedText text{"", std::stod((*at)[2]), std::stod((*at)[1])};
    const std::string quoted = (*at)[3];
    for (std::size_t k = 0; k < quoted.size(); ++k) text.text += quoted[k] == '\\' ? quoted[++k] : quoted[k];
    out.push_back(text);
  }
  return out;
}

struct SvgText {
  std::string text, styles;
  double x = 0;
};

std::vector<SvgText> texts_of_svg(const std::string& svg) {
  std::vector<SvgText> out;
  const std::regex shown("<text(?: class=\"([^\"]*)\")? x=\"([^\"]*)\"[^>]*>([^<]*)</text>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), shown), end; at != end; ++at) {
    std::string text = (*at)[3];
    for (const auto& [from, to] : {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
      for (std::size_t k = 0; (k = text.find(from, k)) != std::string::npos; ++k) {
        text.replace(k, std::string(from).size(), to);
      }
    }
    out.push_back({text, (*at)[1], std::stod((*at)[2])});
  }
  return out;
}

}  // namespace

TEST_CASE("a PDF has its objects where its table says, and the texts of the SVG at their places") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> pictures = {
      {"lanes_1000", {"lanes(128, tree) then tree", "--n", "1000"}},
      {"pinned_8", {"tile(2, seq) @thread then lanes(2, seq) @warp then seq", "--n", "8"}},
      {"zipped_divide_ragged", {"zipped_divide((5,6):(6,1), (2,4))"}},
      {"bits", {"bit_matrix(compose(swizzle(2,0,3), (8,4):(4,1)))"}},
      {"mma_c", {"mma(\"SM80_16x8x16_F32F16F16F32_TN\", \"C\")", "--as", "tv"}},
  };
  const TemporaryFolder folder;
  for (const auto& [name, words] : pictures) {
    INFO(name);
    const auto file_of = [&](const std::string& ending) {
      const std::string file = (folder / (name + ending)).string();
      std::vector<std::string> all{"draw"};
      all.insert(all.end(), words.begin(), words.end());
      all.insert(all.end(), {"-o", file});
      const RunResult run = reckon_here(all);
      CHECK(run.status == 0);
      CHECK(run.out == "saved     " + file + "  (" + ending.substr(1) + ")\n");
      return read_file(file);
    };
    const std::string file = file_of(".pdf"), svg = file_of(".svg");
    check_golden("draw/" + name + ".pdf", file);
    const ReadPdf pdf = read_pdf(file);
    const auto texts = texts_of(pdf.stream);
    const auto expected = texts_of_svg(svg);
    REQUIRE(texts.size() == expected.size());
    for (std::size_t k = 0; k < texts.size(); ++k) {
      REQUIRE(texts[k].text == expected[k].text);
      // A letter of Courier is 0.6 em wide; the SVG's places are rounded to half a pixel.
      const double length = 0.6 * texts[k].size * static_cast<double>(texts[k].text.size());
      const std::string& styles = expected[k].styles;
      const double share = styles.find("middle") != std::string::npos                                            ? 0.5
                           : styles.find("end") != std::string::npos || styles.find("mark") != std::string::npos ? 1.0
                                                                                                                 : 0.0;
      REQUIRE(std::abs(texts[k].left + share * length - expected[k].x) < 0.27);
    }
    // 0.75 pt for a pixel.
    std::smatch box, size;
    const std::regex media(R"(/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\])"), view("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"");
    REQUIRE(std::regex_search(pdf.objects.at(3), box, media));
    REQUIRE(std::regex_search(svg, size, view));
    for (const std::size_t k : {1U, 2U}) CHECK(std::abs(std::stod(box[k]) - 0.75 * std::stod(size[k])) < 0.2);
    // As many circles and boxes as the SVG has, but for its ground.
    const auto count = [](const std::string& text, const std::string& what) {
      std::size_t found = 0;
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
      return found;
    };
    CHECK(count(pdf.stream, "\nB\n") + count(pdf.stream, "\nf\n") + count(pdf.stream, "\nS\n") ==
          count(svg, "<circle") + count(svg, "<rect") - 1 + count(svg, "<path"));
  }
}

TEST_CASE("a PDF is ASCII: characters of WinAnsi are escaped, others are question marks") {
  draw::Sheet sheet(draw::Style::In::grids, "T\xc3\xa4st (1) \xe2\x86\x92", "");
  // ä, an arrow, a euro sign, a dash, a letter beyond 16 bits; a tab; a byte that is no UTF-8.
  sheet.add("", draw::Words{{1, 2}, "\xc3\xa4 \xe2\x86\x92 \xe2\x82\xac \xe2\x80\x93 \xf0\x9d\x84\x9e\t(a\\b)"});
  sheet.add("end", draw::Words{{100, 2}, "\xc3\xa4\xc3\xa4"});
  sheet.resize(200, 20);
  const std::string file = draw::pdf(sheet);
  CHECK(std::all_of(file.begin(), file.end(), [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
  const ReadPdf pdf = read_pdf(file);
  CHECK(pdf.stream.find(R"((\344 ? \200 \226 ? \(a\\b\)) Tj)") != std::string::npos);
  // Two letters, 14.4 wide.
  CHECK(pdf.stream.find("1 0 0 -1 85.6 2 Tm") != std::string::npos);
  CHECK(pdf.objects.at(7).find("/Title <FEFF005400E400730074002000280031002900202192>") != std::string::npos);
  sheet = draw::Sheet(draw::Style::In::grids, "f(x)", "");
  CHECK(read_pdf(draw::pdf(sheet)).objects.at(7).find("/Title (f\\(x\\))") != std::string::npos);
}
