#pragma once
// What the CUDA headers' groups, barriers, pipelines, copies and matrix fragments do, seen in kernels that use them
// (tests/device/asynchronous.cu, groups.cu, matrix.cu): written once and run on both devices.

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/device_contract.h"
#include "tests/instructions/matrix_values.h"

namespace gpulab::tests {

/// out[i] = f(i) for `count` values.
template <typename F>
std::vector<int> table(int count, F f) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(f(i));
  return values;
}
/// What a kernel of one block makes of zeroed outputs, and of inputs counted from 0.
inline std::vector<int> result_of(Device& device, std::string_view kernel, unsigned threads, int outputs) {
  const auto out = upload(device, std::vector<int>(static_cast<std::size_t>(outputs)), "out");
  launch(device, kernel, {{1, 1, 1}, {threads, 1, 1}}, out);
  device.synchronize();
  return read_values<int>(device, out, static_cast<std::size_t>(outputs));
}
template <typename... T>
std::vector<int> result_from(Device& device, std::string_view kernel, unsigned threads, int inputs, int outputs,
                             T... more) {
  const auto out = upload(device, std::vector<int>(static_cast<std::size_t>(outputs)), "out");
  const auto in = upload(device, counted(inputs), "in");
  launch(device, kernel, {{1, 1, 1}, {threads, 1, 1}}, out, in, more...);
  device.synchronize();
  return read_values<int>(device, out, static_cast<std::size_t>(outputs));
}

// ---- barriers ----

inline void barriers_separate_rounds(Device& device) {
  CHECK(result_of(device, "barrier_rounds", 96, 96) == table(96, [](int t) { return (t + 1) % 96 * 15; }));
}
inline void threads_drop_out_of_a_barrier(Device& device) {
  CHECK(result_of(device, "barrier_drops", 128, 128) == table(128, [](int t) { return t % 8 - t % 2; }));
}
inline void lanes_of_one_warp_wait_for_each_other(Device& device) {
  CHECK(result_of(device, "barrier_within_warp", 32, 32) == table(32, [](int t) { return t < 16 ? 1 : 2; }));
}
inline void tokens_count_pending_arrivals(Device& device) {
  // The lanes of a warp arrive at once, and see what was to come before any of them; in which order warps arrive is
  // open.
  auto got = result_of(device, "primitives", 128, 256);
  CHECK(got == table(256, [&](int i) { return got[static_cast<std::size_t>(i / 32 * 32)]; }));
  std::sort(got.begin(), got.begin() + 128);
  std::sort(got.begin() + 128, got.end());
  CHECK(got == table(256, [](int i) { return (i % 128 / 32 + 1) * 32; }));
}

// ---- copies ----

inline void threads_copy_under_a_barrier(Device& device) {
  CHECK(result_from(device, "copy_by_threads", 256, 256, 256) == table(256, [](int t) { return 255 - t; }));
}
inline void a_block_copies_under_a_barrier(Device& device) {
  CHECK(result_from(device, "copy_by_block", 256, 768, 768) ==
        table(768, [](int i) { return i / 256 * 256 + 255 - i % 256; }));
}
inline void a_pipeline_has_two_stages(Device& device) {
  CHECK(result_from(device, "pipeline_stages", 128, 640, 640, 5) ==
        table(640, [](int i) { return 2 * (i / 128 * 128 + 127 - i % 128); }));
}
inline void a_pipeline_has_producers_and_consumers(Device& device) {
  CHECK(result_from(device, "pipeline_roles", 128, 448, 448, 7) ==
        table(448, [](int i) { return 3 * (i / 64 * 64 + 63 - i % 64); }));
}
inline void groups_of_copies_end_in_order(Device& device) {
  CHECK(result_from(device, "groups_in_flight", 32, 1024, 256) ==
        table(256, [](int i) { return 2 * (i / 32 * 128 + 4 * (i % 32)) + 3; }));
}
inline void a_short_source_is_filled_with_zeros(Device& device) {
  // __pipeline_memcpy_async's last argument says how many bytes at the end are zeros.
  CHECK(result_from(device, "copy_and_fill", 32, 128, 128) ==
        table(128, [](int i) { return i % 4 < 4 - i / 4 % 5 ? i : 0; }));
}
inline void groups_copy_together(Device& device) {
  CHECK(result_from(device, "copies_of_groups", 128, 128, 256) ==
        table(256, [](int i) { return i < 128 ? 127 - i : i % 128 / 32 * 32 + 31 - i % 32; }));
}
inline void bulk_copies_count_their_bytes(Device& device) {
  CHECK(result_from(device, "bulk_copies", 256, 512, 512) == table(512, [](int i) { return 2 * i + i / 256; }));
}
inline void a_cluster_may_have_one_block(Device& device) {
  CHECK(result_of(device, "cluster_of_one", 64, 64) == table(64, [](int t) { return 5 * (63 - t) + 10; }));
}

// ---- groups: the inputs are 0, 1, 2, … ----

inline void tiles_exchange_and_reduce(Device& device) {
  constexpr int n = 64;
  const auto got = result_from(device, "tiles", n, n, 12 * n);
  const auto row = [&](int r) { return std::vector<int>(got.begin() + r * n, got.begin() + (r + 1) * n); };
  CHECK(row(0) == table(n, [](int t) { return t / 8 * 8 + 3 + 1000 * (t % 8 < 6 ? t + 2 : t); }));
  CHECK(row(1) == table(n, [](int t) { return (t % 8 ? t - 1 : t) + 1000 * (t ^ 5); }));
  CHECK(row(2) == table(n, [](int t) { return (t / 8 == 2) + 10 + 400; }));
  CHECK(row(3) == table(n, [](int t) {
          int same = 0;
          for (int k = t / 8 * 8; k < t / 8 * 8 + 8; ++k) same += k % 3 == t % 3;
          return same;
        }));
  CHECK(row(4) == std::vector<int>(n, 132));
  const auto sum = [](int t) { return t / 32 * 1024 + 496; };
  CHECK(row(5) == table(n, sum));
  CHECK(row(6) == std::vector<int>(n, 7));
  CHECK(row(7) == std::vector<int>(n, 0));
  CHECK(row(8) == table(n, [](int t) {
          const int first = t / 32 * 32;
          return (first + t) * (t - first + 1) / 2;
        }));
  CHECK(row(9) == table(n, [](int t) {
          const int first = t / 8 * 8;
          return (first + t - 1) * (t - first) / 2;
        }));
  CHECK(row(10) == table(n, [](int t) { return t % 32 / 8 + 400; }));
  CHECK(row(11) == table(n, sum));
}
inline void groups_form_by_branch_and_by_label(Device& device) {
  constexpr int n = 64;
  const auto got = result_from(device, "partitions", n, n, 6 * n);
  const auto row = [&](int r) { return std::vector<int>(got.begin() + r * n, got.begin() + (r + 1) * n); };
  const auto in_warp = [](int t, auto f) {
    int total = 0;
    for (int k = t / 32 * 32; k < t / 32 * 32 + 32; ++k) total += f(k);
    return total;
  };
  CHECK(row(0) == table(n, [&](int t) {
          if (t % 3 == 0) return 0;
          return in_warp(t, [](int k) { return k % 3 != 0; }) + 100 * in_warp(t, [&](int k) { return k % 3 && k < t; });
        }));
  CHECK(row(1) == table(n, [&](int t) { return t % 3 ? in_warp(t, [](int k) { return k % 3 ? k : 0; }) : 0; }));
  CHECK(row(2) == table(n, [](int t) { return t % 3 == 0 ? 0 : t < 32 ? 31 : 62; }));
  CHECK(row(3) == table(n, [](int t) { return 8 + 100 * (t % 32 / 4); }));
  CHECK(row(4) == table(n, [&](int t) { return in_warp(t, [&](int k) { return k % 4 == t % 4 ? k : 0; }); }));
  CHECK(row(5) == std::vector<int>(n, 16));
}
inline void tiles_may_have_several_warps(Device& device) {
  constexpr int n = 128;
  const auto got = result_from(device, "large_tiles", n, n, 4 * n);
  const auto row = [&](int r) { return std::vector<int>(got.begin() + r * n, got.begin() + (r + 1) * n); };
  CHECK(row(0) == table(n, [](int t) { return t < 64 ? 2016 : 6112; }));
  CHECK(row(1) == table(n, [](int t) { return t / 64 * 64 + 37; }));
  CHECK(row(2) == table(n, [](int t) { return t < 64 ? 11 : 0; }));
  CHECK(row(3) == table(n, [](int t) {
          const int first = t / 64 * 64;
          return (first + t) * (t - first + 1) / 2;
        }));
}
inline void one_of_a_group_is_invoked(Device& device) {
  const auto got = result_of(device, "invoked_once", 96, 97);
  CHECK(got == table(97, [](int i) { return i == 0 ? 3 : 7 + (i - 1) / 32; }));
}

// ---- fragments ----

inline DevicePointer upload_halves(Device& device, const std::vector<double>& values) {
  std::vector<std::uint16_t> bits;
  for (const double v : values) bits.push_back(static_cast<std::uint16_t>(encoded("f16", v, false)));
  return upload(device, bits);
}
inline std::vector<double> halves(int count, int seed) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back((i * seed % 23 - 11) / 4.0);
  return values;
}

inline void fragments_are_worked_on_by_element(Device& device) {
  const auto a = halves(256, 7), b = halves(256, 5), c = halves(256, 3);
  const auto d = upload(device, std::vector<float>(256));
  launch(device, "fragment_arithmetic", {{1, 1, 1}, {32, 1, 1}}, d, upload_halves(device, a), upload_halves(device, b),
         upload(device, std::vector<float>(c.begin(), c.end())));
  device.synchronize();
  const auto got = read_values<float>(device, d, 256);
  std::vector<float> expected;
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      double sum = c[16 * i + j];
      for (std::size_t k = 0; k < 16; ++k) sum += (a[16 * i + k] + 1) * b[16 * j + k];
      expected.push_back(static_cast<float>(2 * sum + 1));
    }
  CHECK(got == expected);
}
inline void tiles_of_a_product_add_up(Device& device) {
  constexpr int n = 96;
  const auto a = halves(n * n, 7), b = halves(n * n, 5);
  const auto d = upload(device, std::vector<float>(n * n));
  launch(device, "tiled_product", {{3, 3, 1}, {128, 1, 1}}, d, upload_halves(device, a), upload_halves(device, b), n);
  device.synchronize();
  const auto got = read_values<float>(device, d, n * n);
  std::vector<float> expected;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[n * i + k] * b[n * k + j];
      expected.push_back(static_cast<float>(sum));
    }
  CHECK(got == expected);
}
/// The manual leaves it open. On sm_80 and later, wmma's fragments are those of mma.m16n8k16, A's repeated.
inline void fragments_lie_as_those_of_mma(Device& device) {
  std::vector<double> places(256);
  std::iota(places.begin(), places.end(), 0);
  const auto out = upload(device, std::vector<float>(32 * 24));
  launch(device, "fragment_places", {{1, 1, 1}, {32, 1, 1}}, out, upload_halves(device, places),
         upload(device, std::vector<float>(places.begin(), places.end())));
  device.synchronize();
  const auto got = read_values<float>(device, out, 32 * 24);
  std::vector<float> expected;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 24; ++i) {
      const int e = i % 8, row = lane / 4 + e / 2 % 2 * 8, column = lane % 4 * 2 + e % 2 + e / 4 * 8;
      expected.push_back(static_cast<float>(16 * row + column));
    }
  CHECK(got == expected);
}

/// For kernels of the modules compiled for sm_80 and, `hopper`, for sm_90.
inline std::vector<Clause> cuda_headers_contract(bool hopper) {
  std::vector<Clause> clauses = {
      {"a barrier's rounds do not overlap", barriers_separate_rounds},
      {"threads may drop out of a barrier", threads_drop_out_of_a_barrier},
      {"lanes of one warp may wait for each other at barriers", lanes_of_one_warp_wait_for_each_other},
      {"an arrival's token knows how many were still to come", tokens_count_pending_arrivals},
      {"threads copy and wait at a barrier", threads_copy_under_a_barrier},
      {"a block copies together and waits at a barrier", a_block_copies_under_a_barrier},
      {"a pipeline works on one stage while the other fills", a_pipeline_has_two_stages},
      {"a pipeline's producers and consumers hand stages over", a_pipeline_has_producers_and_consumers},
      {"groups of copies are waited for in order", groups_of_copies_end_in_order},
      {"a copy with a short source fills with zeros", a_short_source_is_filled_with_zeros},
      {"groups copy together and wait", groups_copy_together},
      {"tiles exchange, vote, reduce and scan", tiles_exchange_and_reduce},
      {"groups form by branch, label and predicate", groups_form_by_branch_and_by_label},
      {"tiles of two warps reduce and scan", tiles_may_have_several_warps},
      {"one thread of a group is invoked", one_of_a_group_is_invoked},
      {"fragments are worked on element by element", fragments_are_worked_on_by_element},
      {"tiles of a product add up, by way of shared memory", tiles_of_a_product_add_up},
      {"fragments lie as those of mma", fragments_lie_as_those_of_mma},
  };
  if (hopper) {
    clauses.push_back({"bulk copies count their bytes at a barrier", bulk_copies_count_their_bytes});
    clauses.push_back({"a cluster may have one block", a_cluster_may_have_one_block});
  }
  return clauses;
}
inline void load_cuda_headers_kernels(Device& device, bool hopper) {
  device.load(hopper ? asynchronous_kernels_sm90 : asynchronous_kernels_sm80);
  device.load(hopper ? groups_kernels_sm90 : groups_kernels_sm75);
  device.load(matrix_kernels_sm75);
}

}  // namespace gpulab::tests
