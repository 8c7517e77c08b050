#include "layout/memory/mend.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

namespace reckon::layout {
namespace {

/// What there is to search: the uses, and the buffer's elements.
struct Question {
  std::vector<Use> uses;
  std::int64_t elements = 0, before = 0;
  int vector = 1, element_bytes = 1;
};

std::int64_t moved(std::int64_t offset, const Swizzle& swizzle) { return swizzle(offset); }
std::int64_t moved(std::int64_t offset, const Padding& padding) {
  return offset + offset / padding.pitch * padding.pad;
}

template <class Remedy>
Offsets apply(const Offsets& offsets, const Remedy& remedy) {
  Offsets out = offsets;
  for (std::int64_t& offset : out.table) offset = moved(offset, remedy);
  return out;
}

template <class Remedy>
std::int64_t wavefronts_with(const Question& question, const Remedy& remedy) {
  std::int64_t out = 0;
  for (const Use& use : question.uses) out += count_wavefronts(apply(use.offsets, remedy), use.access);
  return out;
}

/// A swizzle keeps aligned blocks, so only the last block can move elements past the end.
std::int64_t extra_elements(const Question& question, const Swizzle& swizzle) {
  std::int64_t last = question.elements - 1;
  for (std::int64_t at = last / swizzle.block() * swizzle.block(); at < question.elements; ++at) {
    last = std::max(last, swizzle(at));
  }
  return last + 1 - question.elements;
}

std::int64_t extra_elements(const Question& question, const Padding& padding) {
  return moved(question.elements - 1, padding) + 1 - question.elements;
}

/// A swizzle helps if it XORs address bits above those of the banks (7 and higher) onto those of the banks (2 to 6).
std::optional<Mend::Swizzled> best_swizzle(const Question& question) {
  const int top = std::bit_width(static_cast<std::uint64_t>(question.elements - 1));
  const int vector_bits = std::countr_zero(static_cast<unsigned>(question.vector));
  const int element_bits = std::countr_zero(static_cast<unsigned>(question.element_bytes));
  std::optional<Mend::Swizzled> best;
  const auto key = [](const Mend::Swizzled& of) {
    return std::make_tuple(of.wavefronts, of.swizzle.bits, of.extra_elements, of.swizzle.base, of.swizzle.shift);
  };
  for (int bits = 1; bits <= 5; ++bits) {
    for (int base = vector_bits; base + element_bits < 7; ++base) {
      if (base + bits + element_bits > 7) break;
      for (int shift = std::max(bits, 7 - element_bits - base - bits + 1); base + shift < top; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        const Mend::Swizzled candidate{swizzle, wavefronts_with(question, swizzle), extra_elements(question, swizzle)};
        if (candidate.wavefronts < question.before && (!best || key(candidate) < key(*best))) best = candidate;
      }
    }
  }
  return best;
}

/// Powers of two, and the steps between neighbouring lanes: the pitches of rows.
std::set<std::int64_t> pitches(const Question& question) {
  std::set<std::int64_t> out;
  for (std::int64_t pitch = question.vector; pitch < question.elements; pitch *= 2) out.insert(pitch);
  for (const Use& use : question.uses) {
    for (std::int64_t lane = 1; lane < std::min<std::int64_t>(use.offsets.threads, warp_lanes); ++lane) {
      const std::int64_t step = std::abs(use.offsets(lane, 0) - use.offsets(lane - 1, 0));
      if (step != 0 && step % question.vector == 0) out.insert(step);
    }
  }
  return out;
}

std::optional<Mend::Padded> best_padding(const Question& question) {
  std::optional<Mend::Padded> best;
  const auto key = [](const Mend::Padded& of) {
    return std::make_tuple(of.wavefronts, of.extra_elements, -of.padding.pitch);
  };
  for (std::int64_t pitch : pitches(question)) {
    for (std::int64_t pad = question.vector; pad * question.element_bytes < banks * word_bytes;
         pad += question.vector) {
      if (pad * question.element_bytes % word_bytes != 0) continue;
      const Padding padding{pitch, pad};
      const Mend::Padded candidate{padding, wavefronts_with(question, padding), extra_elements(question, padding)};
      if (candidate.wavefronts < question.before && (!best || key(candidate) < key(*best))) best = candidate;
    }
  }
  return best;
}

std::string elements_text(std::int64_t count) {
  return count == 0 ? "no more elements" : std::to_string(count) + (count == 1 ? " more element" : " more elements");
}

}  // namespace

Offsets swizzled(const Offsets& offsets, const Swizzle& swizzle) { return apply(offsets, swizzle); }
Offsets padded(const Offsets& offsets, const Padding& padding) { return apply(offsets, padding); }

Result<Layout> padded(const Layout& layout, const Padding& padding) {
  const auto extents = layout.shape().leaves();
  auto strides = layout.stride().leaves();
  std::int64_t within = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    if (extents[k] == 1 || strides[k] == 0) continue;
    std::int64_t grown;
    if (strides[k] > 0 && strides[k] % padding.pitch == 0) {
      if (__builtin_add_overflow(strides[k], strides[k] / padding.pitch * padding.pad, &grown)) {
        return Problem{Problem::Kind::too_large, "a padded stride of `" + layout.text() + "` does not fit in 64 bits"};
      }
      strides[k] = grown;
    } else if (strides[k] < 0 || (within += (extents[k] - 1) * strides[k]) >= padding.pitch) {
      return Problem{Problem::Kind::not_linear,
                     "with `" + std::to_string(padding.pad) + "` elements left out after every `" +
                         std::to_string(padding.pitch) + "`, `" + layout.text() + "` is no layout: its mode `" +
                         std::to_string(extents[k]) + ":" + std::to_string(strides[k]) + "` crosses the gaps"};
    }
  }
  return Layout::make(layout.shape(), with_leaves(layout.stride(), strides));
}

Result<Mend> mend(const std::vector<Use>& uses, std::int64_t buffer_elements) {
  Question question;
  question.uses = uses;
  question.elements = buffer_elements;
  Mend out;
  for (Use& use : question.uses) {
    if (use.access.space != Space::shared) return Problem{Problem::Kind::bad_access, "global memory has no banks"};
    if (use.access.element_bytes != uses[0].access.element_bytes) {
      return Problem{Problem::Kind::bad_access, "the uses of one buffer have elements of different sizes"};
    }
    const auto now = report(use.offsets, use.access);
    if (!now) return now.problem();
    use.access = now->access;
    question.element_bytes = use.access.element_bytes;
    question.vector = std::max(question.vector, use.access.vector);
    for (std::int64_t offset : use.offsets.table) {
      question.elements = std::max(question.elements, offset + (use.offsets.values == 1 ? use.access.vector : 1));
    }
    out.before += now->wavefronts;
    out.least += now->phases;
  }
  if (out.before == out.least) return out;
  question.before = out.before;
  out.swizzled = best_swizzle(question);
  out.padded = best_padding(question);
  return out;
}

std::string Mend::text() const {
  const auto counted = [](std::int64_t wavefronts) {
    return std::to_string(wavefronts) + (wavefronts == 1 ? " wavefront" : " wavefronts");
  };
  if (before == least) return "no bank conflicts: " + counted(before) + "\n";
  const auto against = [&](std::int64_t wavefronts) {
    return counted(wavefronts) + " instead of " + std::to_string(before) +
           (wavefronts == least ? ", the least" : ", against " + std::to_string(least) + " without conflicts");
  };
  std::string out;
  if (swizzled) {
    const Swizzle& by = swizzled->swizzle;
    out += "swizzle Sw<" + std::to_string(by.bits) + "," + std::to_string(by.base) + "," + std::to_string(by.shift) +
           ">: " + against(swizzled->wavefronts) + "; " + elements_text(swizzled->extra_elements) + "\n";
  } else {
    out += "no swizzle helps\n";
  }
  if (padded) {
    out += "padding by " + std::to_string(padded->padding.pad) + " after every " +
           std::to_string(padded->padding.pitch) + ": " + against(padded->wavefronts) + "; " +
           elements_text(padded->extra_elements) + "\n";
  } else {
    out += "no padding helps\n";
  }
  return out;
}

}  // namespace reckon::layout
