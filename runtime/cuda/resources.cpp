#include "runtime/cuda/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace reckon::runtime::cuda {
namespace {

constexpr unsigned log_bytes = 16 * 1024;
constexpr std::size_t max_log_notes = 8;

/// The lines of a log that say something, up to a limit.
std::vector<std::string> log_lines(std::string_view log) {
  std::vector<std::string> lines;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (lines.size() == max_log_notes) {
      lines.push_back("(and more)");
      break;
    }
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

Expected<std::shared_ptr<const Context>> Context::open(std::shared_ptr<const Driver> driver, int ordinal) {
  auto device = driver->device(ordinal);
  if (!device) return device.error();
  ContextObject* object = nullptr;
  if (auto failure = driver->check(driver->call().primary_context_retain(&object, device->handle), "be opened"))
    return *failure;
  std::shared_ptr<const Context> context(new Context(std::move(driver), std::move(*device), object));
  if (auto failure = context->make_current()) return *failure;
  return context;
}

// The thread's current context is left as it is: another holder of the same primary context may be using it.
Context::~Context() { call().primary_context_release(device_.handle); }

Failure Context::make_current() const { return driver_->check(call().context_set_current(object_), "be made current"); }

Failure Context::synchronize() const { return driver_->check(call().context_synchronize(), "finish its work"); }

Failure Context::reserve_stack(std::size_t bytes) const {
  std::size_t present = 0;
  if (auto failure = driver_->check(call().context_get_limit(&present, limit_stack_bytes), "tell its stack's size"))
    return failure;
  if (present >= bytes) return std::nullopt;
  return driver_->check(call().context_set_limit(limit_stack_bytes, bytes),
                        fmt::format("give each thread a stack of {} bytes", bytes));
}

CurrentContext::CurrentContext(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  failure_ = context_->driver().check(context_->call().context_get_current(&before_), "tell what is current");
  if (failure_ || context_->is(before_)) return;
  failure_ = context_->make_current();
  changed_ = !failure_;
}

CurrentContext::~CurrentContext() {
  if (changed_) static_cast<void>(context_->call().context_set_current(before_));
}

Expected<Memory> allocate(const std::shared_ptr<const Context>& context, std::uint64_t bytes) {
  constexpr std::uint64_t step = 16;
  const std::uint64_t steps = std::max<std::uint64_t>(bytes / step + (bytes % step != 0 ? 1 : 0), 1);
  const std::uint64_t allocation = std::min(steps, UINT64_MAX / step) * step;
  DeviceAddress address = 0;
  if (auto failure = context->driver().check(context->call().memory_allocate(&address, allocation),
                                             fmt::format("give {} bytes of memory", bytes))) {
    failure->notes.push_back(
        fmt::format("`{}` has {} bytes in all", context->device().name, context->device().memory_bytes));
    return *failure;
  }
  return Memory(context, address);
}

Failure clear(const Memory& memory, std::uint64_t bytes, StreamObject* stream) {
  if (bytes == 0) return std::nullopt;
  const Context& context = *memory.context();
  return context.driver().check(context.call().set_bytes(memory.get(), 0, bytes, stream),
                                fmt::format("clear {} bytes", bytes));
}

Expected<LoadedModule> load_module(const std::shared_ptr<const Context>& context, const std::string& image,
                                   std::string* log, std::optional<int> level) {
  // One byte more than the driver is told of, so that each text ends whatever the driver does.
  std::vector<char> info(log_bytes + 1, '\0');
  std::vector<char> error(log_bytes + 1, '\0');
  // A value is a pointer, or an integer in the place of one.
  const auto integer = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
  std::vector<int> options{jit_option::info_log, jit_option::info_log_bytes, jit_option::error_log,
                           jit_option::error_log_bytes, jit_option::log_verbose};
  std::vector<void*> values{info.data(), integer(log_bytes), error.data(), integer(log_bytes), integer(1)};
  if (level) {
    options.push_back(jit_option::optimization_level);
    values.push_back(integer(static_cast<std::uintptr_t>(*level)));
  }

  ModuleObject* module = nullptr;
  // c_str(): the driver reads PTX up to its NUL.
  const Result result = context->call().module_load(&module, image.c_str(), static_cast<unsigned>(options.size()),
                                                    options.data(), values.data());
  if (result != result::success) {
    const bool cubin = image.starts_with(
        "\x7f"
        "ELF");
    Diagnostic diagnostic = context->driver().failure(result, cubin ? "load the compiled kernels" : "compile the PTX");
    for (std::string& line : log_lines(error.data())) diagnostic.notes.push_back(std::move(line));
    return diagnostic;
  }
  if (log != nullptr) *log = info.data();
  return LoadedModule(context, module);
}

Expected<FunctionObject*> find_kernel(const LoadedModule& module, const std::string& name) {
  const Context& context = *module.context();
  FunctionObject* function = nullptr;
  if (auto failure = context.driver().check(context.call().module_function(&function, module.get(), name.c_str()),
                                            fmt::format("find the kernel `{}`", name)))
    return *failure;
  return function;
}

Expected<Stream> create_stream(const std::shared_ptr<const Context>& context) {
  StreamObject* stream = nullptr;
  if (auto failure =
          context->driver().check(context->call().stream_create(&stream, stream_non_blocking), "make a stream"))
    return *failure;
  return Stream(context, stream);
}

Expected<Event> create_event(const std::shared_ptr<const Context>& context, unsigned flags) {
  EventObject* event = nullptr;
  if (auto failure = context->driver().check(context->call().event_create(&event, flags), "make an event"))
    return *failure;
  return Event(context, event);
}

Failure wait_for(StreamObject* stream, const std::shared_ptr<const Context>& context, StreamObject* other) {
  const CurrentContext there(context);
  if (there.failure()) return there.failure();
  const Driver& driver = context->driver();
  // The driver keeps what it needs of an event that ends while a stream waits for it.
  auto event = create_event(context, event_disable_timing);
  if (!event) return event.error();
  if (auto failure = driver.check(driver.call().event_record(event->get(), other), "mark a place in a stream"))
    return failure;
  return driver.check(driver.call().stream_wait_event(stream, event->get(), 0), "let one stream wait for another");
}

Failure synchronize(const Context& context, StreamObject* stream) {
  return context.driver().check(context.call().stream_synchronize(stream), "finish its work");
}

}  // namespace reckon::runtime::cuda
