#include "runtime/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "diagnostics/codes/bad_data_file.h"
#include "diagnostics/codes/internal.h"
#include "numerics/format.h"
#include "runtime/file.h"
#include "runtime/npy_header.h"

namespace reckon::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "bit patterns are written as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t longest_header = std::uint64_t{1} << 20;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  return fmt::format("({}{})", text, shape.size() == 1 ? "," : "");
}

/// Elements of a shape; nothing if the extents other than 0 have a product of bytes that does not fit in 63 bits
/// (the rule of NumPy, which keeps every partial product of a usable shape representable).
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape, int width) {
  std::int64_t product = width;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  }
  return empty ? 0 : product / width;
}

/// More than the machine's memory could not be held; asking for it might be granted and end the process later.
bool exceeds_memory(std::uint64_t bytes) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 &&
         bytes / static_cast<std::uint64_t>(page_size) > static_cast<std::uint64_t>(pages);
}

void swap_bytes(std::vector<std::uint8_t>& bytes, std::size_t width) {
  for (std::size_t i = 0; i + width <= bytes.size(); i += width)
    for (std::size_t k = 0; k < width / 2; ++k) std::swap(bytes[i + k], bytes[i + width - 1 - k]);
}

/// First index fastest -> last index fastest.
std::vector<std::uint8_t> to_row_major(const std::vector<std::uint8_t>& from, const std::vector<std::int64_t>& shape,
                                       std::size_t width) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, width);
  for (std::size_t k = 1; k < rank; ++k) strides[k] = strides[k - 1] * static_cast<std::size_t>(shape[k - 1]);
  std::vector<std::int64_t> index(rank, 0);
  std::vector<std::uint8_t> to(from.size());
  std::size_t source = 0;
  for (std::size_t target = 0; target < to.size(); target += width) {
    std::memcpy(&to[target], &from[source], width);
    for (std::size_t k = rank; k-- > 0;) {
      source += strides[k];
      if (++index[k] < shape[k]) break;
      source -= strides[k] * static_cast<std::size_t>(shape[k]);
      index[k] = 0;
    }
  }
  return to;
}

NpyProblem not_npy(std::string_view start) {
  NpyProblem problem{fmt::format("it is not a NumPy file: it begins with `{}`", printable(start)), {}};
  if (start.starts_with("PK"))
    problem.help = "this is an archive of several arrays (`.npz`): unpack it, and load one `.npy` file of it";
  return problem;
}

NpyProblem reading_failed() {
  if (errno != 0) return {std::strerror(errno), {}};
  return {"it became shorter while it was read", {}};
}

NpyProblem wrong_length(const NpyHeader& header, std::uint64_t wanted, std::uint64_t held) {
  const std::string shape = shape_text(header.shape);
  const std::string_view scalar =
      ir::scalar_name(header.scalar);
  if (held < wanted)
    return {fmt::format("it is cut off: shape `{}` of {} needs {} bytes of data, and it holds {}", shape, scalar,
                        wanted, held),
            {}};
  return {fmt::format("{} bytes follow the array of shape `{}` of {}", held - wanted, shape, scalar),
          "a file holds one array: `np.save` was called twice on it, or something else was appended"};
}

std::variant<ir::HostTensor, NpyProblem> read(File& file) {
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) return NpyProblem{std::strerror(errno), {}};
  if (S_ISDIR(status.st_mode)) return NpyProblem{"it is a folder", {}};
  if (!S_ISREG(status.st_mode)) return NpyProblem{"it is not a regular file", "copy its contents to a file first"};
  const auto size = static_cast<std::uint64_t>(status.st_size);

  std::string start(std::min<std::uint64_t>(size, 8), '\0');
  if (!file.read(start.data(), start.size())) return reading_failed();
  if (start.empty()) return NpyProblem{"it is empty", {}};
  if (!start.starts_with(magic) && !magic.starts_with(start)) return not_npy(start);
  const NpyProblem ends_early{fmt::format("it is cut off within its header, after {} bytes", size), {}};
  if (start.size() < 8) return ends_early;

  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    return NpyProblem{fmt::format("it has version {}.{} of the format, and 1.0, 2.0 and 3.0 are known", major, minor),
                      {}};
  const std::uint64_t length_bytes = major == 1 ? 2 : 4;
  if (size < 8 + length_bytes) return ends_early;
  std::uint64_t header_length = 0;
  if (!file.read(&header_length, length_bytes)) return reading_failed();
  const std::uint64_t data_begin = 8 + length_bytes + header_length;
  if (data_begin > size) return ends_early;
  if (header_length > longest_header) return NpyProblem{fmt::format("its header is {} bytes long", header_length), {}};
  std::string header_text(header_length, '\0');
  if (!file.read(header_text.data(), header_text.size())) return reading_failed();

  auto parsed = parse_npy_header(header_text);
  if (auto* problem = std::get_if<NpyProblem>(&parsed)) return std::move(*problem);
  const auto& header = std::get<NpyHeader>(parsed);
  const int width = ir::byte_width(header.scalar);
  const auto count = element_count(header.shape, width);
  if (!count) return NpyProblem{fmt::format("its shape `{}` is too large", shape_text(header.shape)), {}};
  const std::uint64_t wanted = static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(width);
  if (wanted != size - data_begin) return wrong_length(header, wanted, size - data_begin);
  if (exceeds_memory(wanted)) return NpyProblem{fmt::format("its {} bytes do not fit in memory", wanted), {}};

  ir::HostTensor tensor;
  tensor.scalar = header.scalar;
  tensor.shape = header.shape;
  tensor.bytes.resize(wanted);
  if (!file.read(tensor.bytes.data(), tensor.bytes.size())) return reading_failed();
  if (header.scalar == ir::Scalar::boolean) {
    for (std::size_t i = 0; i < tensor.bytes.size(); ++i)
      if (tensor.bytes[i] > 1)
        return NpyProblem{fmt::format("element {} is byte {}, and a bool is 0 or 1", i, tensor.bytes[i]), {}};
  }
  if (header.big_endian) swap_bytes(tensor.bytes, static_cast<std::size_t>(width));
  if (header.fortran_order && tensor.shape.size() > 1)
    tensor.bytes = to_row_major(tensor.bytes, tensor.shape, static_cast<std::size_t>(width));
  return tensor;
}

}  // namespace

Expected<ir::HostTensor> read_npy(const std::string& path, SourceSpan place) {
  const auto refuse = [&](const NpyProblem& problem) {
    Diagnostic diagnostic(code::bad_data_file, place, fmt::format("cannot load `{}`: {}", path, problem.text));
    if (!problem.help.empty()) diagnostic.helps.push_back(problem.help);
    return diagnostic;
  };
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever.
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return refuse({std::strerror(errno), {}});
  try {
    auto result = read(file);
    if (auto* problem = std::get_if<NpyProblem>(&result)) return refuse(*problem);
    return std::get<ir::HostTensor>(std::move(result));
  } catch (const std::bad_alloc&) {
    return refuse({"it does not fit in memory", {}});
  }
}

/// The same numbers as files have them. (Patterns of tf32 are those of f32, and no copy is made.)
std::optional<ir::HostTensor> in_files(const ir::HostTensor& tensor) {
  const ir::Scalar scalar = scalar_in_files(tensor.scalar);
  if (scalar == tensor.scalar || tensor.scalar == ir::Scalar::tf32) return std::nullopt;
  ir::HostTensor out(scalar, tensor.shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double number = numerics::widen(tensor.bits(i), ir::format_of(tensor.scalar));
    out.set_bits(i, numerics::round_f64(number, ir::format_of(scalar)));
  }
  return out;
}

std::optional<Diagnostic> write_npy(const std::string& path, const ir::HostTensor& tensor, SourceSpan place) {
  const auto refuse = [&](std::string_view why) {
    return Diagnostic(code::bad_data_file, place, fmt::format("cannot save `{}`: {}", path, why));
  };
  if (tensor.scalar == ir::Scalar::number) return refuse("a `number` has no bits before it has a format");
  const int width = ir::byte_width(tensor.scalar);
  const auto count = element_count(tensor.shape, width);
  if (!count || tensor.bytes.size() != static_cast<std::size_t>(*count) * static_cast<std::size_t>(width))
    return Diagnostic(code::internal, place,
                      fmt::format("a tensor of shape `{}` has {} bytes", shape_text(tensor.shape),
                                  tensor.bytes.size()));
  const std::string header = npy_header_text(tensor.scalar, tensor.shape);

  const auto converted = in_files(tensor);
  const std::vector<std::uint8_t>& written = converted ? converted->bytes : tensor.bytes;
  const std::string problem = write_file(path, {header, {reinterpret_cast<const char*>(written.data()), written.size()}});
  return problem.empty() ? std::optional<Diagnostic>() : refuse(problem);
}

}  // namespace reckon::runtime
