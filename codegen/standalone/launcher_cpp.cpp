// A launcher in C++17. What every launcher has is text here; what depends on the circuit is filled in.
#include <fmt/format.h>

#include "codegen/sizes.h"
#include "codegen/standalone/interface.h"
#include "codegen/steps.h"

namespace reckon::codegen {
namespace {

using Role = Buffer::Role;

constexpr std::string_view declarations = R"text(
// How to use it. `load` once in each CUDA context, then `launch` any number of times, on any stream: it queues the
// kernels and returns. Nothing is allocated and nothing waits during a launch, so a stream may be under capture.
// Compile this file as C++17. To call it from another source, include it there after
// `#define RECKON_LAUNCHER_DECLARATIONS`. With RECKON_LAUNCHER_MAIN defined it is a program that reads raw arrays from
// files and writes the results to files.
#ifndef RECKON_LAUNCHER_@SYMBOL@
#define RECKON_LAUNCHER_@SYMBOL@
#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace reckon_@SYMBOL@ {

// What `load` finds out.
struct Kernels {
  CUmodule module;
  CUfunction function[@COUNT@];
  int max_threads[@COUNT@];
  int multiprocessors;@CONSTANT_MEMBERS@
};

// Into the current context. CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX and the like: the device or the driver
// is older than @MACHINE@.
CUresult load(Kernels* kernels);
CUresult unload(Kernels* kernels);

// Null if these sizes can be used; otherwise the condition that they do not meet.
const char* refused(@SIZES@);

// Bytes of device memory that a launch needs besides its arguments; launches that overlap in time need memory of their
// own each. 0 if it needs none, or if the sizes are refused.
std::size_t scratch_bytes(@SIZES@);

// Queues all kernels. Every address is a multiple of 16, results overlap nothing else, and an array without elements may
// have the address 0.
@ARRAYS@//   scratch: `scratch_bytes` bytes; 0 if that is 0
// CUDA_ERROR_INVALID_VALUE: sizes that are refused, an address that is none, or scratch memory that is missing.
CUresult launch(const Kernels& kernels, @PARAMETERS@CUdeviceptr scratch,
                CUstream stream);

}  // namespace reckon_@SYMBOL@
#endif

#ifndef RECKON_LAUNCHER_DECLARATIONS
)text";

constexpr std::string_view common = R"text(
namespace reckon_@SYMBOL@ {
namespace {

// Arithmetic of sizes that knows when a value does not fit in 64 bits.
struct Exact {
  bool fits = true;
  std::int64_t plus(std::int64_t a, std::int64_t b) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return none();
    return a + b;
  }
  std::int64_t times(std::int64_t a, std::int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == INT64_MIN || b == INT64_MIN) return none();
    const std::int64_t most = INT64_MAX / (a < 0 ? -a : a);
    if ((b < 0 ? -b : b) > most) return none();
    return a * b;
  }
  std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return none();
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  std::int64_t remainder(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return none();
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
  }
  std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  std::int64_t greatest(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
  // A part of the scratch memory: whole steps of 256 bytes.
  std::int64_t part(std::int64_t bytes) { return plus(bytes, 255) / 256 * 256; }

 private:
  std::int64_t none() {
    fits = false;
    return 0;
  }
};

struct Launch {
  const char* name;
  unsigned threads;      // of a block
  unsigned block_items;  // that a block computes together; 0: each is one thread's
  int most_blocks;       // of a multiprocessor; 0: a block computes no more than that, so there is one for each
  bool recursive;        // it needs a stack
  int shared_bytes;      // that the launch gives it, more than a block has without an opt-in
};
const Launch launches[] = {
@LAUNCHES@};

extern const char* const ptx;

// As the kernels were made for: small ones are spread over all multiprocessors, large ones loop.
CUresult start(const Kernels& kernels, int which, std::int64_t items, void** parameters, CUstream stream) {
  const Launch& launch = launches[which];
  if (items <= 0) return CUDA_SUCCESS;
  const std::int64_t processors = kernels.multiprocessors < 1 ? 1 : kernels.multiprocessors;
  unsigned threads = launch.threads;
  std::int64_t blocks = 0, most = 0;
  if (launch.block_items > 0) {
    blocks = (items - 1) / launch.block_items + 1;
    most = launch.most_blocks == 0 ? INT32_MAX : processors * launch.most_blocks;
  } else {
    const int registers = kernels.max_threads[which];
    const unsigned allowed = registers < 64 ? 32u : static_cast<unsigned>(registers) / 32 * 32;
    threads = ((threads < 1 ? 1 : threads) + 31) / 32 * 32;
    if (threads > allowed) threads = allowed;
    while (threads >= 64 && items / threads < processors) threads = threads / 64 * 32;
    blocks = (items - 1) / threads + 1;
    most = processors * 32;
  }
  const unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
  return cuLaunchKernel(kernels.function[which], grid, 1, 1, threads, 1, 1, static_cast<unsigned>(launch.shared_bytes),
                        stream, parameters, nullptr);
}
@RESERVE@
struct Places {
@PLACES@  std::int64_t bytes;
};

bool find_places(@SIZES_COMMA@Places* places) {
  Exact exact;
  std::int64_t at = 0;
@FIND_PLACES@  places->bytes = at;
  return exact.fits;
}

}  // namespace

CUresult load(Kernels* kernels) {
  CUdevice device;
  CUresult result = cuCtxGetDevice(&device);
  if (result != CUDA_SUCCESS) return result;
  result = cuDeviceGetAttribute(&kernels->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (result != CUDA_SUCCESS) return result;
@LOAD_MODULE@  if (result != CUDA_SUCCESS) return result;
  for (int which = 0; which < @COUNT@; ++which) {
    result = cuModuleGetFunction(&kernels->function[which], kernels->module, launches[which].name);
    if (result != CUDA_SUCCESS) return result;
    result = cuFuncGetAttribute(&kernels->max_threads[which], CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                kernels->function[which]);
    if (result != CUDA_SUCCESS) return result;
    if (launches[which].shared_bytes > 0) {
      result = cuFuncSetAttribute(kernels->function[which], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  launches[which].shared_bytes);
      if (result != CUDA_SUCCESS) return result;
    }@RESERVE_CALL@
  }
@LOAD_CONSTANTS@  return CUDA_SUCCESS;
}

CUresult unload(Kernels* kernels) { return cuModuleUnload(kernels->module); }

const char* refused(@SIZES@) {
@REFUSED@  return nullptr;
}

std::size_t scratch_bytes(@SIZES@) {
  Places places;
  if (refused(@NAMES@) != nullptr || !find_places(@NAMES_COMMA@&places)) return 0;
  return static_cast<std::size_t>(places.bytes);
}

CUresult launch(const Kernels& kernels, @PARAMETERS@CUdeviceptr scratch,
                CUstream stream) {
  Places places;
  if (refused(@NAMES@) != nullptr || !find_places(@NAMES_COMMA@&places)) return CUDA_ERROR_INVALID_VALUE;
  if ((places.bytes > 0 && scratch == 0) || scratch % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  Exact exact;
@BUFFERS@@MAPS@  void* parameters[] = {@KERNEL_PARAMETERS@};
  CUresult status = CUDA_SUCCESS;
@CLEAR@  const std::int64_t items[] = {@ITEMS@};
@ROUNDS@  if (!exact.fits) return CUDA_ERROR_INVALID_VALUE;
@STARTS@  return status;
}

namespace {

const char* const ptx = R"ptx(@PTX@)ptx";

}  // namespace
}  // namespace reckon_@SYMBOL@
)text";

constexpr std::string_view reserve = R"text(
// Functions that call themselves need a stack: at most an eighth of the device's memory for all of its threads.
CUresult reserve_stack(CUfunction function, CUdevice device) {
  int local = 0, processors = 0, threads = 0;
  std::size_t memory = 0, present = 0;
  CUresult result = cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
  if (result == CUDA_SUCCESS) {
    result = cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  }
  if (result == CUDA_SUCCESS) {
    result = cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  }
  if (result == CUDA_SUCCESS) result = cuDeviceTotalMem(&memory, device);
  if (result == CUDA_SUCCESS) result = cuCtxGetLimit(&present, CU_LIMIT_STACK_SIZE);
  if (result != CUDA_SUCCESS) return result;
  std::size_t bytes = memory / 8;
  bytes /= static_cast<std::size_t>(processors < 1 ? 1 : processors);
  bytes = bytes / static_cast<std::size_t>(threads < 1 ? 1 : threads) / 1024 * 1024;
  if (bytes < 4096) bytes = 4096;
  if (bytes > 131072) bytes = 131072;
  bytes += static_cast<std::size_t>(local < 0 ? 0 : local);
  return present >= bytes ? CUDA_SUCCESS : cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes);
}
)text";

constexpr std::string_view main_program = R"text(
#ifdef RECKON_LAUNCHER_MAIN
#include <cstdio>
#include <cstdlib>
#include <vector>

// @USAGE@
// Each file has the elements of an array and nothing else.
namespace {

bool check(CUresult result, const char* action) {
  const char* name = nullptr;
  if (result == CUDA_SUCCESS) return true;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  std::fprintf(stderr, "could not %s: %s\n", action, name);
  return false;
}

}  // namespace

int main(int count, char** words) {
  using namespace reckon_@SYMBOL@;
  if (count != @WORDS@) return std::fputs("usage: @USAGE@\n", stderr), 2;
@READ_SIZES@  if (const char* condition = refused(@NAMES@)) {
    return std::fprintf(stderr, "the sizes do not meet: %s\n", condition), 3;
  }
  Exact exact;
  const std::int64_t bytes[] = {@BYTES@};
  CUdeviceptr arrays[@ARRAY_COUNT@] = {}, scratch = 0;
  CUdevice device;
  CUcontext context;
  Kernels kernels;
  if (!check(cuInit(0), "start CUDA") || !check(cuDeviceGet(&device, 0), "find a device") ||
      !check(cuDevicePrimaryCtxRetain(&context, device), "open the device") ||
      !check(cuCtxSetCurrent(context), "open the device") || !check(load(&kernels), "load the kernels")) {
    return 1;
  }
  std::vector<char> contents;
  for (int k = 0; k < @ARRAY_COUNT@; ++k) {
    contents.assign(static_cast<std::size_t>(bytes[k]), 0);
    if (!check(cuMemAlloc(&arrays[k], contents.size() / 16 * 16 + 16), "allocate memory")) return 1;
    if (k >= @INPUT_COUNT@) continue;
    std::FILE* file = std::fopen(words[1 + @SIZE_COUNT@ + k], "rb");
    const bool whole = file != nullptr && std::fread(contents.data(), 1, contents.size(), file) == contents.size();
    if (file != nullptr) std::fclose(file);
    if (!whole) return std::fprintf(stderr, "%s has not %zu bytes\n", words[1 + @SIZE_COUNT@ + k], contents.size()), 1;
    if (contents.empty()) continue;
    if (!check(cuMemcpyHtoD(arrays[k], contents.data(), contents.size()), "copy to the device")) return 1;
  }
  const std::size_t needed = scratch_bytes(@NAMES@);
  if (needed > 0 && !check(cuMemAlloc(&scratch, needed), "allocate memory")) return 1;
  if (!check(launch(kernels, @MAIN_ARGUMENTS@scratch, nullptr), "launch")) return 1;
  if (!check(cuCtxSynchronize(), "run")) return 1;
  for (int k = @INPUT_COUNT@; k < @ARRAY_COUNT@; ++k) {
    contents.assign(static_cast<std::size_t>(bytes[k]), 0);
    if (!contents.empty() &&
        !check(cuMemcpyDtoH(contents.data(), arrays[k], contents.size()), "copy from the device")) {
      return 1;
    }
    std::FILE* file = std::fopen(words[1 + @SIZE_COUNT@ + k], "wb");
    const bool whole = file != nullptr && std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
    if (file == nullptr || std::fclose(file) != 0 || !whole) {
      return std::fprintf(stderr, "%s cannot be written\n", words[1 + @SIZE_COUNT@ + k]), 1;
    }
  }
  for (CUdeviceptr array : arrays) cuMemFree(array);
  if (scratch != 0) cuMemFree(scratch);
  return check(unload(&kernels), "release the kernels") ? 0 : 1;
}
#endif
)text";

class CppLauncher {
 public:
  explicit CppLauncher(const Standalone& circuit) : circuit_(circuit), plan_(circuit.plan), names_(circuit.names) {}

  std::string text() {
    std::string out = commented(description(circuit_, Target::ptx), "//");
    out += filled(declarations, {{"SYMBOL", names_.symbol},
                                 {"COUNT", std::to_string(plan_.kernels.size())},
                                 {"MACHINE", circuit_.machine},
                                 {"CONSTANT_MEMBERS", constant_members()},
                                 {"SIZES", sizes()},
                                 {"ARRAYS", array_lines()},
                                 {"PARAMETERS", parameters()}});
    out += body();
    out += program();
    return out + "#endif\n";
  }

 private:
  std::vector<Interface::Array> arrays() const {
    std::vector<Interface::Array> out = names_.parameters;
    out.insert(out.end(), names_.results.begin(), names_.results.end());
    return out;
  }
  const Buffer& buffer(const Interface::Array& array) const { return plan_.buffers[array.buffer]; }
  bool is_scalar(const Interface::Array& array) const { return buffer(array).extents.empty(); }

  std::string sizes() const {
    std::string out;
    for (const std::string& name : names_.dimensions) out += (out.empty() ? "" : ", ") + ("std::int64_t " + name);
    return out;
  }
  std::string size_names() const { return fmt::format("{}", fmt::join(names_.dimensions, ", ")); }
  static std::string with_comma(const std::string& list) { return list.empty() ? "" : list + ", "; }
  std::string parameters() const {
    std::string out;
    for (const Interface::Array& array : arrays()) out += "CUdeviceptr " + array.name + ", ";
    return out + with_comma(sizes());
  }
  std::string array_lines() const {
    std::string out;
    for (const Interface::Array& array : arrays()) {
      out += fmt::format("//   {}: {}{}\n", array.name, array_type(circuit_.module, buffer(array)),
                         is_scalar(array) ? ", one element of device memory" : "");
    }
    return out;
  }
  std::string constant_members() const {
    if (circuit_.constants.empty()) return "";
    return fmt::format("\n  CUdeviceptr constant[{}];", circuit_.constants.size());
  }

  std::string product(const std::vector<ir::IndexId>& extents, bool at_least_one) const {
    std::string out;
    for (const ir::IndexId extent : extents) {
      std::string one = cpp_size(circuit_, extent);
      if (at_least_one && !circuit_.module.indices().as_constant(extent))
        one = fmt::format("exact.greatest({}, 1)", one);
      if (at_least_one && circuit_.module.indices().as_constant(extent) == 0) one = "1";
      out = out.empty() ? one : fmt::format("exact.times({}, {})", out, one);
    }
    return out.empty() ? "1" : out;
  }

  /// Members of Places, and what finds them.
  void add_place(const std::string& name, const Buffer& of, const std::string& only_if) {
    places_ += fmt::format("  std::int64_t {};\n", name);
    std::string bytes = fmt::format("exact.part(exact.times({}, {}))", product(of.extents, true), element_bytes(of));
    if (!only_if.empty()) bytes = fmt::format("{} ? {} : 0", only_if, bytes);
    find_places_ += fmt::format("  places->{} = at;\n  at = exact.plus(at, {});\n", name, bytes);
  }

  void add_buffer(std::size_t k) {
    const Buffer& of = plan_.buffers[k];
    const std::string address = "address_" + std::to_string(k);
    kernel_parameters_ += (kernel_parameters_.empty() ? "&" : ", &") + address;
    switch (of.role) {
      case Role::parameter:
      case Role::result: {
        const auto& list = of.role == Role::parameter ? names_.parameters : names_.results;
        const std::string& name = list[of.position].name;
        buffers_ += fmt::format("  CUdeviceptr {} = {};\n", address, name);
        if (!of.extents.empty()) {
          const std::string place = "in_place_of_" + std::to_string(k), empty = "empty_" + std::to_string(k);
          find_places_ += fmt::format("  const bool {} = {} == 0;\n", empty, product(of.extents, false));
          add_place(place, of, empty);
          // Scratch memory stands in for an array without elements, whose address kernels may form.
          buffers_ += fmt::format("  if ({} == 0) {} = scratch + static_cast<CUdeviceptr>(places.{});\n",
                                  product(of.extents, false), address, place);
        }
        buffers_ += fmt::format("  if ({0} == 0 || {0} % 16 != 0) return CUDA_ERROR_INVALID_VALUE;\n", address);
        return;
      }
      case Role::constant:
        buffers_ += fmt::format("  CUdeviceptr {} = kernels.constant[{}];\n", address, constants_++);
        return;
      default: break;
    }
    const std::string place = "buffer_" + std::to_string(k);
    add_place(place, of, "");
    buffers_ += fmt::format("  CUdeviceptr {} = scratch + static_cast<CUdeviceptr>(places.{});\n", address, place);
    if (of.role != Role::counters) return;
    clear_ += fmt::format(
        "  status = cuMemsetD8Async({}, 0, static_cast<std::size_t>(exact.times({}, {})), stream);\n"
        "  if (status != CUDA_SUCCESS) return status;\n",
        address, product(of.extents, true), element_bytes(of));
  }

  std::string body() {
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) add_buffer(k);
    if (find_places_.empty()) find_places_ = "  static_cast<void>(exact);\n";
    for (const std::string& name : names_.dimensions) {
      find_places_ = fmt::format("  static_cast<void>({});\n", name) + find_places_;
      kernel_parameters_ += ", &" + name;
    }
    std::string rounds;
    for (std::size_t k = 0; k < plan_.loops.size(); ++k) {
      kernel_parameters_ += fmt::format(", &round_{}", k);
      buffers_ += fmt::format("  std::int64_t round_{} = 0;\n", k);
      rounds += fmt::format("  const std::int64_t rounds_{} = {};\n", k, cpp_size(circuit_, plan_.loops[k].rounds));
    }
    for (std::size_t k = 0; k < plan_.tensor_maps.size(); ++k) kernel_parameters_ += fmt::format(", &map_{}", k);
    std::string launches, items;
    bool recursive = false;
    for (const Kernel& kernel : plan_.kernels) {
      launches += fmt::format("    {{\"{}\", {}, {}, {}, {}, {}}},\n", kernel.name, kernel.threads, kernel.block_items,
                              kernel.most_blocks(), kernel.recursive, kernel.dynamic_shared_bytes());
      items += (items.empty() ? "" : ", ") + product(kernel.items, false);
      recursive = recursive || kernel.recursive;
    }
    std::string conditions = names_.dimensions.empty() ? "" : "  Exact exact;\n  bool met = true;\n";
    for (const ir::SizeCondition& condition : circuit_.conditions) {
      conditions += fmt::format("  met = {} && exact.fits;\n  if (!met) return {};\n",
                                cpp_size(circuit_, condition.holds),
                                ir::quoted_text(ir::index_text(circuit_.module, condition.holds)));
    }
    if (!names_.dimensions.empty()) {
      for (const std::string& name : names_.dimensions) conditions += fmt::format("  static_cast<void>({});\n", name);
      conditions += "  static_cast<void>(met);\n";
    }
    return filled(common, {{"SYMBOL", names_.symbol},
                           {"COUNT", std::to_string(plan_.kernels.size())},
                           {"LAUNCHES", launches},
                           {"RESERVE", recursive ? std::string(reserve) : ""},
                           {"RESERVE_CALL", recursive ? std::string(reserve_call) : ""},
                           {"PLACES", places_},
                           {"FIND_PLACES", find_places_},
                           {"SIZES", sizes()},
                           {"SIZES_COMMA", with_comma(sizes())},
                           {"NAMES", size_names()},
                           {"NAMES_COMMA", with_comma(size_names())},
                           {"PARAMETERS", parameters()},
                           {"LOAD_MODULE", load_module()},
                           {"LOAD_CONSTANTS", load_constants()},
                           {"REFUSED", conditions},
                           {"BUFFERS", buffers_},
                           {"KERNEL_PARAMETERS", kernel_parameters_},
                           {"MAPS", maps()},
                           {"CLEAR", clear_},
                           {"ITEMS", items},
                           {"ROUNDS", rounds},
                           {"STARTS", starts()},
                           {"PTX", ptx_with_constants(circuit_)}});
  }

  /// What describes the tensors of the tensor maps to the driver, at their present addresses.
  std::string maps() const {
    std::string out, names;
    for (std::size_t k = 0; k < plan_.tensor_maps.size(); ++k) {
      const TensorMap& map = plan_.tensor_maps[k];
      names += fmt::format("{}map_{}", k == 0 ? "" : ", ", k);
      const auto list = [&](const std::vector<ir::IndexId>& sizes, std::int64_t least) {
        std::string all;
        for (const ir::IndexId size : sizes) {
          all += fmt::format("{}static_cast<cuuint64_t>(exact.greatest({}, {}))", all.empty() ? "" : ", ",
                             cpp_size(circuit_, size), least);
        }
        return all;
      };
      const std::vector<std::uint32_t> ones(map.box.size(), 1);
      out += fmt::format(
          "    const cuuint64_t extents_{0}[] = {{{1}}};\n    const cuuint64_t strides_{0}[] = {{{2}}};\n"
          "    const cuuint32_t box_{0}[] = {{{3}}}, steps_{0}[] = {{{4}}};\n"
          "    if (made == CUDA_SUCCESS) {{\n"
          "      made = cuTensorMapEncodeTiled(&map_{0}, CU_TENSOR_MAP_DATA_TYPE_UINT{5}, {6},\n"
          "                                    reinterpret_cast<void*>({7}), extents_{0}, strides_{0}, "
          "box_{0}, "
          "steps_{0},\n"
          "                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,\n"
          "                                    CU_TENSOR_MAP_L2_PROMOTION_L2_256B, "
          "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n"
          "    }}\n",
          k, list(map.extents, 1), list(map.strides, 16), fmt::join(map.box, ", "), fmt::join(ones, ", "),
          8 * element_bytes(plan_.buffers[map.buffer]), map.box.size(), address_of(map));
    }
    if (out.empty()) return out;
    return fmt::format(
        "  CUtensorMap {};\n  const auto describe = [&] {{\n    CUresult made = CUDA_SUCCESS;\n{}    return made;\n  "
        "}};\n",
        names, out);
  }
  std::string address_of(const TensorMap& map) const {
    if (!map.copy) return fmt::format("address_{}", map.buffer);
    return fmt::format("{} != 0 ? address_{} : address_{}", cpp_size(circuit_, map.copied), *map.copy, map.buffer);
  }
  std::string describe(const std::string& indent) const {
    if (plan_.tensor_maps.empty()) return "";
    return fmt::format("{0}status = describe();\n{0}if (status != CUDA_SUCCESS) return status;\n", indent);
  }

  std::string starts() const {
    if (plan_.loops.empty()) {
      return fmt::format(
          "{}  for (int which = 0; which < {}; ++which) {{\n"
          "    status = start(kernels, which, items[which], parameters, stream);\n"
          "    if (status != CUDA_SUCCESS) return status;\n"
          "  }}\n",
          describe("  "), plan_.kernels.size());
    }
    std::string out, indent = "  ";
    for (const Step& step : steps_of(plan_)) {
      switch (step.kind) {
        case Step::Kind::launch:
          out += describe(indent);
          out += fmt::format("{0}status = start(kernels, {1}, items[{1}], parameters, stream);\n", indent, step.number);
          out += fmt::format("{}if (status != CUDA_SUCCESS) return status;\n", indent);
          break;
        case Step::Kind::enter:
          out += fmt::format("{0}for (round_{1} = 0; round_{1} < rounds_{1}; ++round_{1}) {{\n", indent, step.number);
          indent += "  ";
          break;
        case Step::Kind::leave:
          for (const auto& [one, other] : plan_.loops[step.number].exchanged) {
            out += fmt::format("{0}const CUdeviceptr held_{1} = address_{1};\n", indent, one);
            out += fmt::format("{0}address_{1} = address_{2};\n{0}address_{2} = held_{1};\n", indent, one, other);
          }
          indent.resize(indent.size() - 2);
          out += indent + "}\n";
          break;
      }
    }
    return out;
  }

  static constexpr std::string_view reserve_call = R"text(
    if (launches[which].recursive) result = reserve_stack(kernels->function[which], device);
    if (result != CUDA_SUCCESS) return result;)text";

  std::string load_module() const {
    const auto level = plan_.assembler_level();
    if (!level) return "  result = cuModuleLoadData(&kernels->module, ptx);\n";
    return fmt::format(
        "  // From -O2 on, assemblers have made wrong code of functions that call themselves.\n"
        "  CUjit_option options[] = {{CU_JIT_OPTIMIZATION_LEVEL}};\n"
        "  void* values[] = {{reinterpret_cast<void*>(static_cast<std::uintptr_t>({}))}};\n"
        "  result = cuModuleLoadDataEx(&kernels->module, ptx, 1, options, values);\n",
        *level);
  }

  std::string load_constants() const {
    std::string out;
    for (std::size_t k = 0; k < circuit_.constants.size(); ++k) {
      out += fmt::format(
          "  result = cuModuleGetGlobal(&kernels->constant[{0}], nullptr, kernels->module, \"reckon_constant_{0}\");\n"
          "  if (result != CUDA_SUCCESS) return result;\n",
          k);
    }
    return out;
  }

  std::string program() const {
    std::string usage = names_.symbol, read, bytes, arguments;
    int word = 1;
    for (const std::string& name : names_.dimensions) {
      usage += " " + name;
      read += fmt::format("  std::int64_t {} = std::strtoll(words[{}], nullptr, 10);\n", name, word++);
    }
    for (const Interface::Array& array : arrays()) {
      const bool input = buffer(array).role == Role::parameter;
      usage += " " + array.name + (input ? ".in" : ".out");
      const auto stored = circuit_.stored.find(array.buffer);
      const std::string elements =
          stored != circuit_.stored.end() ? std::to_string(stored->second) : product(buffer(array).extents, false);
      bytes += (bytes.empty() ? "" : ", ") + fmt::format("exact.times({}, {})", elements, element_bytes(buffer(array)));
      arguments += fmt::format("arrays[{}], ", word++ - 1 - static_cast<int>(names_.dimensions.size()));
    }
    return filled(main_program, {{"SYMBOL", names_.symbol},
                                 {"USAGE", usage},
                                 {"WORDS", std::to_string(word)},
                                 {"READ_SIZES", read},
                                 {"NAMES", size_names()},
                                 {"BYTES", bytes},
                                 {"ARRAY_COUNT", std::to_string(arrays().size())},
                                 {"INPUT_COUNT", std::to_string(names_.parameters.size())},
                                 {"SIZE_COUNT", std::to_string(names_.dimensions.size())},
                                 {"MAIN_ARGUMENTS", arguments + with_comma(size_names())}});
  }

  const Standalone& circuit_;
  const Plan& plan_;
  const Interface& names_;
  std::string places_, find_places_, buffers_, kernel_parameters_, clear_;
  int constants_ = 0;
};

}  // namespace

std::string ptx_with_constants(const Standalone& circuit) {
  std::string out = circuit.ptx;
  for (std::size_t k = 0; k < circuit.constants.size(); ++k) {
    std::vector<std::uint8_t> bytes = circuit.constants[k];
    bytes.resize((std::max<std::size_t>(bytes.size(), 1) + 15) / 16 * 16);
    out += fmt::format("\n.visible .global .align 16 .b8 reckon_constant_{}[{}] = {{\n", k, bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 16) {
      out += fmt::format("\t{}{}\n",
                         fmt::join(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(at + 16), ", "),
                         at + 16 < bytes.size() ? "," : "");
    }
    out += "};\n";
  }
  return out;
}

std::string cpp_launcher(const Standalone& circuit) { return CppLauncher(circuit).text(); }

}  // namespace reckon::codegen
