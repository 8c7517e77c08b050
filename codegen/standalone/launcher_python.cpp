// A launcher as a module of Python 3 that needs ctypes alone. What every launcher has is text here.
#include <fmt/format.h>

#include "codegen/sizes.h"
#include "codegen/standalone/interface.h"
#include "codegen/steps.h"

namespace reckon::codegen {
namespace {

using Role = Buffer::Role;

constexpr std::string_view head = R"text(
"""Launches `@SYMBOL@` on a GPU: @SIGNATURE@

Arrays are tensors of PyTorch, arrays of CuPy, or any object on the device with `__cuda_array_interface__` or
`data_ptr()`; they are contiguous. The kernels run on the stream that is current for the arguments' library, unless
`stream` is given (an integer: the driver's handle). Nothing waits for them.

`driver_library` is the CUDA driver's library; RECKON_LAUNCHER_CUDA in the environment names another one.
"""
import ctypes
import os
import sys

driver_library = os.environ.get("RECKON_LAUNCHER_CUDA", "libcuda.so.1")


class CudaError(RuntimeError):
    """The driver refused something; `status` is its number."""

    def __init__(self, status, action):
        text = ctypes.c_char_p()
        _driver().cuGetErrorName(status, ctypes.byref(text))
        name = text.value.decode() if text.value else "error %d" % status
        super().__init__("could not %s: %s" % (action, name))
        self.status = status


# The kernels, in order: name, threads of a block, items that a block computes together (0: each is one thread's), how
# many blocks a multiprocessor gets at most (0: a block computes no more than that, so there is one for each), whether it
# needs a stack, and the bytes of shared memory that the launch gives it.
_LAUNCHES = (
@LAUNCHES@)
_PTX = rb"""@PTX@"""


def _driver(loaded=[]):
    if not loaded:
        loaded.append(ctypes.CDLL(driver_library))
        _check(loaded[0].cuInit(0), "start CUDA")
    return loaded[0]


def _check(status, action):
    if status != 0:
        raise CudaError(status, action)


def _attribute(function, number, of, action):
    value = ctypes.c_int()
    _check(function(ctypes.byref(value), ctypes.c_int(number), of), action)
    return value.value


class _Kernels:
    """The kernels in one context."""

    def __init__(self):
        cuda = _driver()
        device = ctypes.c_int()
        _check(cuda.cuCtxGetDevice(ctypes.byref(device)), "find the device")
        self.multiprocessors = max(_attribute(cuda.cuDeviceGetAttribute, 16, device, "describe the device"), 1)
        self.module = ctypes.c_void_p()
        @LOAD_MODULE@
        self.functions = []
        for name, _, _, _, recursive, shared in _LAUNCHES:
            function = ctypes.c_void_p()
            _check(cuda.cuModuleGetFunction(ctypes.byref(function), self.module, name.encode()), "find a kernel")
            threads = _attribute(cuda.cuFuncGetAttribute, 0, function, "describe a kernel")
            self.functions.append((function, threads))
            if recursive:
                self._reserve_stack(function, device)
            if shared:
                _check(cuda.cuFuncSetAttribute(function, 8, shared), "give shared memory to a kernel")
        self.constants = []
        for number in range(@CONSTANT_COUNT@):
            address, size = ctypes.c_uint64(), ctypes.c_size_t()
            name = b"reckon_constant_%d" % number
            status = cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), self.module, name)
            _check(status, "find a constant")
            self.constants.append(address.value)
        self.scratch = {}

    def _reserve_stack(self, function, device):
        """Functions that call themselves need a stack: at most an eighth of the device's memory for all threads."""
        cuda = _driver()
        local = max(_attribute(cuda.cuFuncGetAttribute, 3, function, "describe a kernel"), 0)
        threads = max(_attribute(cuda.cuDeviceGetAttribute, 39, device, "describe the device"), 1)
        total, present = ctypes.c_size_t(), ctypes.c_size_t()
        _check(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device), "describe the device")
        _check(cuda.cuCtxGetLimit(ctypes.byref(present), 0), "tell the stack's size")
        wanted = local + min(max(total.value // 8 // (self.multiprocessors * threads) // 1024 * 1024, 4096), 131072)
        if present.value < wanted:
            _check(cuda.cuCtxSetLimit(0, ctypes.c_size_t(wanted)), "reserve a stack")

    def scratch_for(self, stream, needed):
        """Memory for the launches on a stream, which it keeps: launches on one stream come one after the other."""
        address, size = self.scratch.get(stream, (0, 0))
        if size < needed:
            cuda = _driver()
            if address:
                _check(cuda.cuMemFree_v2(ctypes.c_uint64(address)), "release memory")
            made = ctypes.c_uint64()
            self.scratch.pop(stream, None)
            _check(cuda.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(needed)), "allocate memory")
            address = made.value
            self.scratch[stream] = (address, needed)
        return address

    def start(self, which, items, values, stream, maps=()):
        if items <= 0:
            return
        function, max_threads = self.functions[which]
        _, threads, block_items, most_blocks, _, shared = _LAUNCHES[which]
        if block_items:
            blocks, most = (items - 1) // block_items + 1, self.multiprocessors * most_blocks or 2**31 - 1
        else:
            threads = min((max(threads, 1) + 31) // 32 * 32, max(max_threads // 32, 1) * 32)
            while threads >= 64 and items // threads < self.multiprocessors:
                threads = threads // 64 * 32
            blocks, most = (items - 1) // threads + 1, self.multiprocessors * 32
        words = [ctypes.c_uint64(value) for value in values]
        places = [ctypes.addressof(word) for word in words] + [place for _, place in maps]
        pointers = (ctypes.c_void_p * len(places))(*places)
        grid = min(blocks, most)
        stream = ctypes.c_void_p(stream)
        status = _driver().cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared, stream, pointers, None)
        _check(status, "launch a kernel")


def load(loaded={}):
    """The kernels in the current context; without one, in the first device's primary context."""
    cuda = _driver()
    context = ctypes.c_void_p()
    _check(cuda.cuCtxGetCurrent(ctypes.byref(context)), "find the context")
    if not context.value:
        device = ctypes.c_int()
        _check(cuda.cuDeviceGet(ctypes.byref(device), 0), "find a device")
        _check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "open the device")
        _check(cuda.cuCtxSetCurrent(context), "open the device")
    if context.value not in loaded:
        loaded[context.value] = _Kernels()
    return loaded[context.value]


def _describe(name, value):
    """Address and shape of an array (no shape: not known), and the size of an element (0: not known)."""
    if hasattr(value, "data_ptr"):
        if hasattr(value, "is_cuda") and not value.is_cuda:
            raise ValueError("`%s` is not on a GPU" % name)
        if hasattr(value, "is_contiguous") and not value.is_contiguous():
            raise ValueError("`%s` is not contiguous: give `%s.contiguous()`" % (name, name))
        shape = tuple(value.shape) if hasattr(value, "shape") else None
        return value.data_ptr(), shape, value.element_size() if hasattr(value, "element_size") else 0
    if hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        shape, width = tuple(interface["shape"]), int(interface["typestr"][2:])
        step, contiguous = width, True
        if interface.get("strides") is not None:
            for extent, stride in zip(reversed(shape), reversed(interface["strides"])):
                contiguous, step = contiguous and (extent == 1 or stride == step), step * extent
        if not contiguous and 0 not in shape:
            raise ValueError("`%s` is not contiguous" % name)
        return interface["data"][0] or 0, shape, width
    kind = type(value).__name__
    raise TypeError("`%s` is a %s, which has neither `data_ptr()` nor `__cuda_array_interface__`" % (name, kind))


def _current_stream(values):
    """The stream that is current for the library whose arrays these are."""
    for library in ("torch", "cupy"):
        module = sys.modules.get(library)
        kind = getattr(module, "Tensor" if library == "torch" else "ndarray", None)
        for value in values:
            if kind is not None and isinstance(value, kind):
                if library == "torch":
                    return module.cuda.current_stream(value.device).cuda_stream
                return module.cuda.get_current_stream().ptr
    return 0


def _address(name, array, extents, width, stand_in):
    address, shape, element = array
    if element and element != width:
        raise ValueError("an element of `%s` has %d bytes and should have %d" % (name, element, width))
    count = 1
    for extent in extents:
        count *= extent
    if shape is not None:
        given = 1
        for extent in shape:
            given *= extent
        if given != count or (extents and len(shape) > 1 and tuple(shape) != tuple(extents)):
            raise ValueError("`%s` has the shape %s and should have %s" % (name, tuple(shape), tuple(extents)))
    if count == 0:
        return stand_in
    if address == 0 or address % 16 != 0:
        raise ValueError("the address of `%s` is not a multiple of 16" % name)
    return address

)text";

constexpr std::string_view functions = R"text(
def refused(@NAMES@):
    """None if these sizes can be used; otherwise the condition that they do not meet."""
@REFUSED@    return None


def scratch_bytes(@NAMES@):
    """Bytes of device memory that a launch needs besides its arguments."""
    return _find_places(@NAMES@)[-1]


def _find_places(@NAMES@):
    places = []
    at = 0
@FIND_PLACES@    places.append(at)
    return places


def @SYMBOL@(@ARRAYS@*, @KEYWORDS@scratch=None, stream=None):
    """Queues all kernels.

@ARRAY_LINES@@SIZE_LINES@    scratch: device memory of `scratch_bytes(@NAMES@)` bytes, as an array or an address;
        without it, the module keeps some for each stream. Give it where a stream is under capture.
    """
    arrays = {@DESCRIBE@}
@FIND_SIZES@    problem = refused(@NAMES@)
    if problem is not None:
        raise ValueError("the sizes do not meet: " + problem)
    if stream is None:
        stream = _current_stream((@VALUES@))
    kernels = load()
    places = _find_places(@NAMES@)
    if scratch is None:
        scratch = kernels.scratch_for(stream, places[-1]) if places[-1] else 0
    elif not isinstance(scratch, int):
        scratch = _describe("scratch", scratch)[0]
    if scratch % 16 != 0 or (places[-1] and not scratch):
        raise ValueError("scratch memory has an address that is a multiple of 16")
    values = [@BUFFERS@]
@CLEAR@    values += [@NAMES@]@ROUNDS@
@MAPS@@STARTS@)text";

constexpr std::string_view tensor_map = R"text(
def _tensor_map(address, element, extents, strides, box):
    """What describes a tensor to the copy engine, and where it lies: at a multiple of 64."""
    held = (ctypes.c_uint8 * 192)()
    place = (ctypes.addressof(held) + 63) // 64 * 64
    rank = len(extents)
    words = ctypes.c_uint64 * rank
    status = _driver().cuTensorMapEncodeTiled(
        ctypes.c_void_p(place), element, rank, ctypes.c_uint64(address), words(*[max(size, 1) for size in extents]),
        words(*[max(size, 16) for size in strides]), (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*[1] * rank),
        0, 3, 3, 0)
    _check(status, "describe a tensor")
    return held, place

)text";

class PythonLauncher {
 public:
  explicit PythonLauncher(const Standalone& circuit) : circuit_(circuit), plan_(circuit.plan), names_(circuit.names) {
    for (const auto& list : {names_.parameters, names_.results}) {
      for (const Interface::Array& array : list) add_array(array);
    }
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) add_buffer(k);
  }

  std::string text() {
    add_maps();
    std::string launches, starts;
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const Kernel& kernel = plan_.kernels[k];
      launches += fmt::format("    (\"{}\", {}, {}, {}, {}, {}),\n", kernel.name, kernel.threads, kernel.block_items,
                              kernel.most_blocks(), kernel.recursive ? "True" : "False", kernel.dynamic_shared_bytes());
    }
    std::string indent = "    ";
    for (const Step& step : steps_of(plan_)) {
      if (step.kind == Step::Kind::launch) {
        starts += fmt::format("{}kernels.start({}, {}, values, stream{})\n", indent, step.number,
                              product(plan_.kernels[step.number].items), maps_.empty() ? "" : ", maps()");
        continue;
      }
      const Loop& loop = plan_.loops[step.number];
      const std::size_t round = plan_.buffers.size() + plan_.dimensions.size() + step.number;
      if (step.kind == Step::Kind::enter) {
        starts += fmt::format("{}for values[{}] in range({}):\n", indent, round, python_size(circuit_, loop.rounds));
        indent += "    ";
        continue;
      }
      for (const auto& [one, other] : loop.exchanged) {
        starts += fmt::format("{0}values[{1}], values[{2}] = values[{2}], values[{1}]\n", indent, one, other);
      }
      indent.resize(indent.size() - 4);
    }
    return commented(description(circuit_, Target::ptx), "#") +
           filled(head, {{"SYMBOL", names_.symbol},
                         {"SIGNATURE", signature()},
                         {"LAUNCHES", launches},
                         {"LOAD_MODULE", load_module()},
                         {"CONSTANT_COUNT", std::to_string(circuit_.constants.size())},
                         {"PTX", ptx_with_constants(circuit_)}}) +
           (maps_.empty() ? "" : std::string(tensor_map)) +
           filled(functions, {{"SYMBOL", names_.symbol},
                              {"NAMES", names()},
                              {"REFUSED", conditions()},
                              {"FIND_PLACES", find_places_},
                              {"ARRAYS", arrays_},
                              {"KEYWORDS", keywords()},
                              {"ARRAY_LINES", array_lines_},
                              {"SIZE_LINES", size_lines()},
                              {"DESCRIBE", described_},
                              {"FIND_SIZES", find_sizes()},
                              {"VALUES", arrays_},
                              {"BUFFERS", buffers_},
                              {"CLEAR", clear_},
                              {"ROUNDS", plan_.loops.empty() ? "" : fmt::format(" + [0] * {}", plan_.loops.size())},
                              {"MAPS", maps_},
                              {"STARTS", starts}});
  }

 private:
  std::string names() const { return fmt::format("{}", fmt::join(names_.dimensions, ", ")); }
  std::string signature() const {
    std::string out;
    for (const auto& list : {names_.parameters, names_.results}) {
      for (const Interface::Array& array : list) {
        out += (out.empty() ? "" : ", ") + array.name + ": " + array_type(circuit_.module, plan_.buffers[array.buffer]);
      }
    }
    return out;
  }
  std::string keywords() const {
    std::string out;
    for (const std::string& name : names_.dimensions) out += name + "=None, ";
    return out;
  }
  std::string size_lines() const {
    return names_.dimensions.empty()
               ? ""
               : fmt::format("    {}: sizes; those that an argument's shape has may be left out.\n", names());
  }

  std::string product(const std::vector<ir::IndexId>& extents, bool at_least_one = false) const {
    std::string out;
    for (const ir::IndexId extent : extents) {
      const std::string one = python_size(circuit_, extent);
      out += (out.empty() ? "" : " * ") + (at_least_one ? fmt::format("max({}, 1)", one) : one);
    }
    return out.empty() ? "1" : out;
  }

  void add_place(const Buffer& of, const std::string& only_if) {
    std::string bytes = fmt::format("({} * {} + 255) // 256 * 256", product(of.extents, true), element_bytes(of));
    if (!only_if.empty()) bytes += fmt::format(" if {} else 0", only_if);
    find_places_ += fmt::format("    places.append(at)\n    at += {}\n", bytes);
    ++place_count_;
  }

  void add_buffer(std::size_t k) {
    const Buffer& of = plan_.buffers[k];
    const std::string separator = buffers_.empty() ? "" : ",\n              ";
    if (of.role == Role::constant) {
      buffers_ += separator + fmt::format("kernels.constants[{}]", constants_++);
      return;
    }
    if (of.role == Role::parameter || of.role == Role::result) {
      const auto& list = of.role == Role::parameter ? names_.parameters : names_.results;
      const std::string& name = list[of.position].name;
      std::string extents;
      for (const ir::IndexId extent : of.extents) extents += python_size(circuit_, extent) + ", ";
      if (const auto stored = circuit_.stored.find(k); stored != circuit_.stored.end()) {
        extents = std::to_string(stored->second) + ", ";
      }
      const std::string at = std::to_string(place_count_);
      if (!of.extents.empty()) add_place(of, product(of.extents) + " == 0");
      buffers_ += separator + fmt::format("_address(\"{0}\", arrays[\"{0}\"], ({1}), {2}, {3})", name, extents,
                                          element_bytes(of),
                                          of.extents.empty() ? "0" : fmt::format("scratch + places[{}]", at));
      return;
    }
    const std::string at = std::to_string(place_count_);
    add_place(of, "");
    buffers_ += separator + fmt::format("scratch + places[{}]", at);
    if (of.role != Role::counters) return;
    clear_ += fmt::format(
        "    _check(_driver().cuMemsetD8Async(ctypes.c_uint64(values[{}]), ctypes.c_ubyte(0), ctypes.c_size_t({} * "
        "{}),\n"
        "                                     ctypes.c_void_p(stream)), \"clear memory\")\n",
        k, product(of.extents, true), element_bytes(of));
  }

  /// A function, since a loop changes the addresses.
  void add_maps() {
    std::string list;
    for (const TensorMap& map : plan_.tensor_maps) {
      const auto sizes = [&](const std::vector<ir::IndexId>& all) {
        std::string out;
        for (const ir::IndexId size : all) out += python_size(circuit_, size) + ", ";
        return out;
      };
      const std::int64_t bytes = element_bytes(plan_.buffers[map.buffer]);
      const std::string buffer =
          !map.copy ? std::to_string(map.buffer)
                    : fmt::format("{} if {} else {}", *map.copy, python_size(circuit_, map.copied), map.buffer);
      list += fmt::format("        _tensor_map(values[{}], {}, ({}), ({}), ({})),\n", buffer,
                          bytes == 1   ? 0
                          : bytes == 2 ? 1
                                       : 2,
                          sizes(map.extents), sizes(map.strides), fmt::join(map.box, ", "));
    }
    if (!list.empty()) maps_ = fmt::format("    maps = lambda: (\n{}    )\n", list);
  }

  void add_array(const Interface::Array& array) {
    const Buffer& of = plan_.buffers[array.buffer];
    arrays_ += array.name + ", ";
    described_ += fmt::format("{0}\"{1}\": _describe(\"{1}\", {1})", described_.empty() ? "" : ", ", array.name);
    array_lines_ += fmt::format("    {}: {}{}{}\n", array.name, array_type(circuit_.module, of),
                                of.role == Role::result ? ", which is written" : "",
                                of.extents.empty() ? ", an array of one element" : "");
  }

  std::string conditions() const {
    std::string out;
    for (const ir::SizeCondition& condition : circuit_.conditions) {
      out += fmt::format("    if not {}:\n        return {}\n", python_size(circuit_, condition.holds),
                         ir::quoted_text(ir::index_text(circuit_.module, condition.holds)));
    }
    std::string largest;
    for (const Buffer& of : plan_.buffers) largest += product(of.extents, true) + ", ";
    for (const Kernel& kernel : plan_.kernels) largest += product(kernel.items) + ", ";
    return out +
           fmt::format("    if max({}0) * 16 >= 2**63:\n        return \"the number of elements fits in 64 bits\"\n",
                       largest);
  }

  /// A size that was not given is that of an argument, where the argument's extent is a size by itself.
  std::string find_sizes() const {
    std::string out;
    for (std::size_t d = 0; d < plan_.dimensions.size(); ++d) {
      const std::string& name = names_.dimensions[d];
      std::string found;
      for (const Interface::Array& array : names_.parameters) {
        const Buffer& of = plan_.buffers[array.buffer];
        for (std::size_t k = 0; k < of.extents.size() && found.empty(); ++k) {
          const ir::IndexNode& node = circuit_.module.indices()[of.extents[k]];
          if (node.op != ir::IndexOp::dimension || node.symbol != plan_.dimensions[d] || of.storage) continue;
          found = fmt::format(
              "    if {0} is None and arrays[\"{1}\"][1] is not None and len(arrays[\"{1}\"][1]) == {2}:\n"
              "        {0} = arrays[\"{1}\"][1][{3}]\n",
              name, array.name, of.extents.size(), k);
        }
      }
      out +=
          found +
          fmt::format(
              "    if {0} is None:\n        raise TypeError(\"the size `{0}` is needed\")\n    {0} = int({0})\n", name);
    }
    return out;
  }

  std::string load_module() const {
    const auto level = plan_.assembler_level();
    if (!level) return "_check(cuda.cuModuleLoadData(ctypes.byref(self.module), _PTX), \"load the kernels\")";
    return fmt::format(
        "# From -O2 on, assemblers have made wrong code of functions that call themselves.\n"
        "        options, values = (ctypes.c_int * 1)(7), (ctypes.c_void_p * 1)({})\n"
        "        _check(cuda.cuModuleLoadDataEx(ctypes.byref(self.module), _PTX, 1, options, values), \"load the "
        "kernels\")",
        *level);
  }

  const Standalone& circuit_;
  const Plan& plan_;
  const Interface& names_;
  std::string arrays_, described_, array_lines_, find_places_, buffers_, clear_, maps_;
  int constants_ = 0, place_count_ = 0;
};

}  // namespace

std::string python_launcher(const Standalone& circuit) { return PythonLauncher(circuit).text(); }

}  // namespace reckon::codegen
