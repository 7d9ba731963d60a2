// Textures of every kind, read at points inside, at the edges and far outside: a hash of all bits of what is read. The
// hash of all hashes is an H200's; tests/data/textures_h200.txt has that GPU's whole output, to find the one that differs.
// long
// case: :: 0
// out: \nall 82d05a08d03c2457\n$
// case: --sanitize all :: 0
// out: \nall 82d05a08d03c2457\n$
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(e));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

struct Point {
  float x, y, z;
  int layer;
  unsigned result[4];
};

enum Geometry { line, plane, volume, lines, planes, cube, cubes, fetched, gathered, level, gradient };

__device__ void keep(Point& p, float4 v) {
  const float of[] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; ++k) p.result[k] = of[k] == 0 ? 0 : __float_as_uint(of[k]);  // zeros of either sign
}
__device__ void keep(Point& p, uint4 v) { p.result[0] = v.x, p.result[1] = v.y, p.result[2] = v.z, p.result[3] = v.w; }
__device__ void keep(Point& p, int4 v) { keep(p, make_uint4(v.x, v.y, v.z, v.w)); }

template <typename T>
__global__ void read(cudaTextureObject_t t, Point* points, int count, int geometry) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Point& p = points[i];
  switch (geometry) {
    case line: return keep(p, tex1D<T>(t, p.x));
    case plane: return keep(p, tex2D<T>(t, p.x, p.y));
    case volume: return keep(p, tex3D<T>(t, p.x, p.y, p.z));
    case lines: return keep(p, tex1DLayered<T>(t, p.x, p.layer));
    case planes: return keep(p, tex2DLayered<T>(t, p.x, p.y, p.layer));
    case cube: return keep(p, texCubemap<T>(t, p.x, p.y, p.z));
    case cubes: return keep(p, texCubemapLayered<T>(t, p.x, p.y, p.z, p.layer));
    case fetched: return keep(p, tex1Dfetch<T>(t, p.layer));
    case gathered: return keep(p, i % 2 ? tex2Dgather<T>(t, p.x, p.y, 1) : tex2Dgather<T>(t, p.x, p.y, 2));
    case level: return keep(p, tex2DLod<T>(t, p.x, p.y, 0.7f));
    default: return keep(p, tex2DGrad<T>(t, p.x, p.y, make_float2(.1f, .2f), make_float2(.3f, .1f)));
  }
}

static unsigned state;
static unsigned any() {
  state = state * 1664525u + 1013904223u;
  const unsigned x = (state ^ state >> 16) * 0x7feb352du;
  return x ^ x >> 15;
}
static float between(float a, float b) { return a + (b - a) * float(any() >> 8) * (1.0f / 16777216.0f); }

enum Source { array, pitched, linear };
enum Texels { usual, many_sizes, special };  // floats: -1 to 1; of 40 exponents; infinities and no numbers among them

struct Setup {
  char kind = 'f';  // float, unsigned, signed
  int bits = 32, channels = 4;
  Geometry geometry = plane;
  int width = 37, height = 23, depth = 0, layers = 0;
  bool is_cube = false;
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  bool filters = false, fractions = false, normalized = false, seamless = false;
  Source source = array;
  Texels texels = usual;
};

static std::vector<unsigned char> texels_of(const Setup& s, int slices) {
  std::vector<unsigned char> bytes(std::size_t(s.width) * std::max(s.height, 1) * slices * s.channels * s.bits / 8);
  state = 777;
  for (std::size_t at = 0; at < bytes.size(); at += s.bits / 8) {
    unsigned value = any();
    if (s.kind == 'f') {
      float f = between(-1, 1);
      if (s.texels != usual) f = ldexpf(f, int(any() % 40) - 20);
      if (s.bits == 32) {
        std::memcpy(&value, &f, 4);
        if (s.texels == special && any() % 16 == 0) value = (value & 0x80000000u) | 0x7f800000u | (any() % 4 ? 0 : 0x123456u);
      } else {
        value = any() & 0xffff;  // halves of all sizes
        if (s.texels == usual || (s.texels == many_sizes && (value & 0x7c00) == 0x7c00)) value = (value & 0x83ff) | 0x3800;
      }
    }
    std::memcpy(&bytes[at], &value, s.bits / 8);
  }
  return bytes;
}

static std::vector<Point> points_of(const Setup& s) {
  std::vector<Point> points(4096);
  state = 4242;
  for (Point& p : points) {
    const float of_extent[] = {s.width + 1.5f, std::max(s.height, 1) + 1.5f, std::max(s.depth, 1) + 1.5f};
    float* const to[] = {&p.x, &p.y, &p.z};
    for (int k = 0; k < 3; ++k)
      *to[k] = s.is_cube ? between(-1, 1) : s.normalized ? between(-2.5f, 3.5f) : between(-1.5f, of_extent[k]);
    p.layer = int(any() % 7) - 2;
    if (s.geometry == fetched) p.layer = int(any() % (s.width + 20)) - 10;
    const float odd[] = {NAN, INFINITY, -INFINITY, 1e9f, -1e9f, 3e38f, 1e-40f, -0.0f, 65535.5f, -65536.f, 1e5f, -1e-10f};
    if (&p - &points[0] < 144 && !s.is_cube) p.x = odd[(&p - &points[0]) % 12], p.y = odd[(&p - &points[0]) / 12];
  }
  return points;
}

static unsigned long long all_hashes = 14695981039346656037ull;

static void run(const char* name, const Setup& s) {
  const int slices = s.is_cube ? 6 * std::max(s.layers, 1) : std::max(std::max(s.depth, s.layers), 1);
  const int rows = std::max(s.height, 1), has = s.channels;
  const auto kind = s.kind == 'f'   ? cudaChannelFormatKindFloat
                    : s.kind == 'u' ? cudaChannelFormatKindUnsigned
                                    : cudaChannelFormatKindSigned;
  const auto channels = cudaCreateChannelDesc(s.bits, has > 1 ? s.bits : 0, has > 2 ? s.bits : 0, has > 2 ? s.bits : 0, kind);
  auto texels = texels_of(s, slices);
  const std::size_t row_bytes = std::size_t(s.width) * has * s.bits / 8;
  cudaResourceDesc resource{};
  cudaArray_t made = nullptr;
  void* memory = nullptr;
  if (s.source == array) {
    const unsigned flags = (s.layers ? cudaArrayLayered : 0) | (s.is_cube ? cudaArrayCubemap : 0) |
                           (s.geometry == gathered ? cudaArrayTextureGather : 0);
    CHECK(cudaMalloc3DArray(&made, &channels, make_cudaExtent(s.width, s.height, slices > 1 ? slices : s.depth), flags));
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(texels.data(), row_bytes, s.width, rows);
    p.dstArray = made, p.extent = make_cudaExtent(s.width, rows, slices), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    resource.resType = cudaResourceTypeArray, resource.res.array.array = made;
  } else if (s.source == linear) {
    CHECK(cudaMalloc(&memory, texels.size()));
    CHECK(cudaMemcpy(memory, texels.data(), texels.size(), cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear, resource.res.linear = {memory, channels, texels.size()};
  } else {
    std::size_t pitch = 0;
    CHECK(cudaMallocPitch(&memory, &pitch, row_bytes, rows));
    CHECK(cudaMemcpy2D(memory, pitch, texels.data(), row_bytes, row_bytes, rows, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, channels, std::size_t(s.width), std::size_t(rows), pitch};
  }
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = s.mode;
  how.filterMode = s.filters ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = s.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = s.normalized, how.seamlessCubemap = s.seamless;
  const float border[] = {1, .5f, .25f, 2};
  std::memcpy(how.borderColor, border, sizeof border);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  auto points = points_of(s);
  Point* there = nullptr;
  CHECK(cudaMalloc(&there, points.size() * sizeof(Point)));
  CHECK(cudaMemcpy(there, points.data(), points.size() * sizeof(Point), cudaMemcpyHostToDevice));
  const auto launch = s.kind == 'f' || s.fractions ? read<float4> : s.kind == 'u' ? read<uint4> : read<int4>;
  launch<<<points.size() / 128, 128>>>(texture, there, int(points.size()), s.geometry);
  CHECK(cudaMemcpy(points.data(), there, points.size() * sizeof(Point), cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  for (const Point& p : points)
    for (const unsigned word : p.result) hash = (hash ^ word) * 1099511628211ull;
  all_hashes = (all_hashes ^ hash) * 1099511628211ull;
  std::printf("%s %016llx\n", name, hash);
  if (const char* folder = std::getenv("POINTS")) {  // to be compared point by point
    std::FILE* file = std::fopen((std::string(folder) + "/" + name).c_str(), "wb");
    std::fwrite(points.data(), sizeof(Point), points.size(), file);
    std::fclose(file);
  }
  CHECK(cudaDestroyTextureObject(texture));
  if (made) CHECK(cudaFreeArray(made));
  if (memory) CHECK(cudaFree(memory));
  CHECK(cudaFree(there));
}

int main() {
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder};
  const char* names[] = {"wrap", "clamp", "mirror", "border"};
  for (int m = 0; m < 4; ++m)
    for (const bool filters : {false, true})
      for (const bool normalized : {false, true}) {
        const std::string how = std::string("_") + names[m] + (filters ? "_filtered" : "") + (normalized ? "_normalized" : "");
        const auto with = [&](const char* name, Setup s) {
          s.mode = modes[m], s.filters = filters, s.normalized = normalized;
          run((name + how).c_str(), s);
        };
        with("line", {.channels = 1, .geometry = line, .height = 0});
        with("plane", {});
        with("volume", {.geometry = volume, .width = 9, .height = 7, .depth = 5});
        with("lines", {.channels = 2, .geometry = lines, .height = 0, .layers = 3});
        with("planes", {.channels = 1, .geometry = planes, .width = 13, .height = 11, .layers = 3});
        with("wide", {.channels = 1, .width = 3001, .height = 7});
        with("pitched", {.channels = 2, .width = 40, .source = pitched});
        with("gathered", {.geometry = gathered});
      }
  for (const bool filters : {false, true}) {
    const auto with = [&](const char* name, Setup s) {
      s.filters = filters;
      run((std::string(name) + (filters ? "_filtered" : "")).c_str(), s);
    };
    with("sizes", {.texels = many_sizes});
    with("special", {.texels = special});
    with("halves", {.bits = 16});
    with("halves_sizes", {.bits = 16, .texels = many_sizes});
    with("halves_special", {.bits = 16, .texels = special});
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
      const std::string in = mode == cudaAddressModeBorder ? "_border" : "";
      with(("u8" + in).c_str(), {.kind = 'u', .bits = 8, .mode = mode, .fractions = true});
      with(("s8" + in).c_str(), {.kind = 's', .bits = 8, .mode = mode, .fractions = true});
      with(("u16" + in).c_str(), {.kind = 'u', .bits = 16, .channels = 2, .mode = mode, .fractions = true});
      with(("s16" + in).c_str(), {.kind = 's', .bits = 16, .mode = mode, .fractions = true});
      with(("halves" + in + "_edge").c_str(), {.bits = 16, .mode = mode});
    }
    with("u8_volume", {.kind = 'u', .bits = 8, .geometry = volume, .width = 9, .height = 7, .depth = 5, .fractions = true});
    with("level", {.geometry = level, .normalized = true});
    with("gradient", {.geometry = gradient, .normalized = true});
    for (const bool seamless : {false, true}) {
      const std::string name = seamless ? "cube_seamless" : "cube";
      for (int m = 0; m < 4; ++m)
        with((name + "_" + names[m]).c_str(),
             {.geometry = cube, .width = 8, .height = 8, .is_cube = true, .mode = modes[m], .normalized = true, .seamless = seamless});
      with((name + "s").c_str(), {.channels = 1, .geometry = cubes, .width = 16, .height = 16, .layers = 3, .is_cube = true,
                                  .normalized = true, .seamless = seamless});
    }
  }
  for (const char kind : {'u', 's'})
    for (const int bits : {8, 16, 32})
      for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder})
        run((std::string("integers_") + kind + std::to_string(bits) + (mode == cudaAddressModeBorder ? "_border" : "")).c_str(),
            {.kind = kind, .bits = bits, .mode = mode, .normalized = true});
  run("fetched_floats", {.channels = 1, .geometry = fetched, .width = 100, .height = 0, .source = linear});
  run("fetched_u8", {.kind = 'u', .bits = 8, .geometry = fetched, .width = 100, .height = 0, .fractions = true, .source = linear});
  run("fetched_s16", {.kind = 's', .bits = 16, .channels = 2, .geometry = fetched, .width = 100, .height = 0, .source = linear});
  std::printf("all %016llx\n", all_hashes);
}
