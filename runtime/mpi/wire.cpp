#include "runtime/mpi/wire.h"

#include <cstring>

namespace reckon::runtime::mpi {
namespace {

class Writer {
 public:
  void number(std::uint32_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes += value;
  }
  void span(SourceSpan value) {
    number(value.file);
    number(value.begin);
    number(value.end);
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t number() {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint32_t size = number();
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  SourceSpan span() {
    SourceSpan value;
    value.file = number();
    value.begin = number();
    value.end = number();
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(number());
    for (std::string& value : values) value = text();
    return values;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string packed(const Diagnostic& diagnostic) {
  Writer out;
  out.number(static_cast<std::uint32_t>(diagnostic.code));
  out.text(diagnostic.message);
  out.span(diagnostic.primary.span);
  out.text(diagnostic.primary.text);
  out.number(static_cast<std::uint32_t>(diagnostic.secondary.size()));
  for (const Label& label : diagnostic.secondary) {
    out.span(label.span);
    out.text(label.text);
  }
  out.texts(diagnostic.notes);
  out.texts(diagnostic.helps);
  return out.bytes;
}

Diagnostic unpacked(std::string_view bytes) {
  Reader in(bytes);
  Diagnostic out;
  out.code = static_cast<Code>(in.number());
  out.message = in.text();
  out.primary.span = in.span();
  out.primary.text = in.text();
  out.secondary.resize(in.number());
  for (Label& label : out.secondary) {
    label.span = in.span();
    label.text = in.text();
  }
  out.notes = in.texts();
  out.helps = in.texts();
  return out;
}

}  // namespace reckon::runtime::mpi
