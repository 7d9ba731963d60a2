// Arrays, surfaces, and what the runtime refuses of both and of textures: as an H200 has it.
// long
// case: :: 4
// out: ^picture 7b51fe25c87810e6\npart fd858c2649fe1d75\ncopied 927bf1faba50831b\nthrough a texture f65082d51d543f01\narray of 32 bits, 48 x 10 x 0, flags 2\ngeometries 2a7470224e207661\nthree channels: cudaErrorInvalidChannelDescriptor\nno width: cudaErrorInvalidValue\ntoo wide: cudaErrorInvalidValue\na cube that is none: cudaErrorInvalidValue\na cube of five faces: cudaErrorInvalidValue\na copy too wide: cudaErrorInvalidValue\na copy beyond the end: cudaErrorInvalidValue\nintegers filtered: cudaErrorInvalidFilterSetting\nwords as fractions: cudaErrorInvalidNormSetting\nfloats as fractions: cudaErrorInvalidNormSetting\nlinear memory, filtered bytes as fractions: cudaSuccess\nlinear memory, 4 bytes in: cudaErrorInvalidValue\nno memory: cudaErrorInvalidValue\nlinear memory, three channels: cudaErrorInvalidChannelDescriptor\na pitch of 36 bytes: cudaErrorInvalidValue\na pitch of 32 bytes: cudaSuccess\ndestroyed: cudaSuccess\nnothing destroyed: cudaSuccess\nno array freed: cudaSuccess\n1073741824 texels of linear memory\nat the edges 0 1000 1063 1050 12345 1031\noutside: cudaErrorIllegalAddress\n$
// err: error: out-of-bounds access of 4 bytes at byte 64 of row 0, slice 0, of a surface of 4 rows of 64 bytes, 1 slices in outside.*at .*surfaces.cu:\d+
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(e));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

static void say(const char* what, cudaError_t e) {
  std::printf("%s: %s\n", what, cudaGetErrorName(e));
  cudaGetLastError();
}

/// Four ways to write a picture of 32-bit texels: by words, by bytes, by pairs of half words, by pairs of words.
__global__ void paint(cudaSurfaceObject_t s, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height) return;
  const unsigned value = 1000003u * y + 257u * x;
  switch (y % 4) {
    case 0: return surf2Dwrite(value, s, 4 * x, y);
    case 1:
      for (int k = 0; k < 4; ++k) surf2Dwrite(static_cast<unsigned char>(value >> 8 * k), s, 4 * x + k, y);
      return;
    case 2: return surf2Dwrite(make_ushort2(value, value >> 16), s, 4 * x, y);
    default:
      if (x % 2 == 0) surf2Dwrite(make_uint2(value, value + 257), s, 4 * x, y);
  }
}
__global__ void flip(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) surf2Dwrite(surf2Dread<unsigned>(from, 4 * (width - 1 - x), y), to, 4 * x, y);
}
__global__ void through_texture(cudaTextureObject_t t, unsigned* out, int width) {
  out[blockIdx.y * width + threadIdx.x] = tex2D<unsigned>(t, threadIdx.x, blockIdx.y);
}
__global__ void edges(cudaSurfaceObject_t s, int* out) {
  surf2Dread(out, s, -4, 0, cudaBoundaryModeZero);
  surf2Dread(out + 1, s, -4, 0, cudaBoundaryModeClamp);
  surf2Dread(out + 2, s, 400, 3, cudaBoundaryModeClamp);
  surf2Dread(out + 3, s, 8, 99, cudaBoundaryModeClamp);
  surf2Dwrite(12345, s, 400, 2, cudaBoundaryModeClamp);
  surf2Dwrite(777, s, 400, 1, cudaBoundaryModeZero);
  surf2Dread(out + 4, s, 60, 2);
  surf2Dread(out + 5, s, 60, 1);
}
__global__ void others(cudaSurfaceObject_t line, cudaSurfaceObject_t volume, cudaSurfaceObject_t lines,
                       cudaSurfaceObject_t planes, cudaSurfaceObject_t cube, short* out) {
  const int i = threadIdx.x;
  surf1Dwrite(short(i + 1), line, 2 * i);
  surf3Dwrite(short(100 * i + 2), volume, 2 * (i % 4), i / 4 % 2, i / 8 % 2);
  surf1DLayeredwrite(short(100 * i + 3), lines, 2 * (i % 8), i / 8);
  surf2DLayeredwrite(short(100 * i + 4), planes, 2 * (i % 4), i / 4 % 2, i / 8 % 2);
  surfCubemapwrite(short(100 * i + 5), cube, 2 * (i % 2), i / 2 % 2, i / 4 % 4);
  __syncthreads();
  const int j = 15 - i;
  out[5 * i] = surf1Dread<short>(line, 2 * j);
  out[5 * i + 1] = surf3Dread<short>(volume, 2 * (j % 4), j / 4 % 2, j / 8 % 2);
  out[5 * i + 2] = surf1DLayeredread<short>(lines, 2 * (j % 8), j / 8);
  out[5 * i + 3] = surf2DLayeredread<short>(planes, 2 * (j % 4), j / 4 % 2, j / 8 % 2);
  out[5 * i + 4] = surfCubemapread<short>(cube, 2 * (j % 2), j / 2 % 2, j / 4 % 4);
}
__global__ void outside(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 64, 0); }

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

static unsigned long long hash_of(const void* data, std::size_t bytes) {
  unsigned long long hash = 14695981039346656037ull;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
  return hash;
}

static void pictures() {
  constexpr int width = 48, height = 10;
  const auto word = cudaCreateChannelDesc<unsigned>();
  cudaArray_t a = nullptr, b = nullptr;
  CHECK(cudaMallocArray(&a, &word, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&b, &word, width, height, cudaArraySurfaceLoadStore));
  paint<<<dim3(2, height), 32>>>(surface_of(a), width, height);
  flip<<<dim3(2, height), 32>>>(surface_of(a), surface_of(b), width, height);
  std::vector<unsigned> host(width * height), part(8 * 3);
  CHECK(cudaMemcpy2DFromArray(host.data(), 4 * width, b, 0, 0, 4 * width, height, cudaMemcpyDeviceToHost));
  std::printf("picture %016llx\n", hash_of(host.data(), 4 * host.size()));
  CHECK(cudaMemcpy2DFromArray(part.data(), 4 * 8, b, 4 * 3, 2, 4 * 8, 3, cudaMemcpyDeviceToHost));
  std::printf("part %016llx\n", hash_of(part.data(), 4 * part.size()));
  CHECK(cudaMemcpy2DToArray(b, 4 * 40, 7, part.data(), 4 * 8, 4 * 8, 3, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 4 * 40, 4, 4 * 8, 6));
  cudaMemcpy3DParms p{};
  p.srcArray = b, p.srcPos = make_cudaPos(2, 1, 0), p.dstPtr = make_cudaPitchedPtr(host.data(), 4 * width, width, height);
  p.dstPos = make_cudaPos(2, 1, 0), p.extent = make_cudaExtent(width - 2, height - 1, 1), p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  std::printf("copied %016llx\n", hash_of(host.data(), 4 * host.size()));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = b;
  cudaTextureDesc nearest{};
  nearest.addressMode[0] = nearest.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &nearest, nullptr));
  unsigned* out = nullptr;
  CHECK(cudaMalloc(&out, 4 * width * height));
  through_texture<<<dim3(1, height), width>>>(texture, out, width);
  CHECK(cudaMemcpy(host.data(), out, 4 * host.size(), cudaMemcpyDeviceToHost));
  std::printf("through a texture %016llx\n", hash_of(host.data(), 4 * host.size()));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(out));
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 0;
  CHECK(cudaArrayGetInfo(&channels, &extent, &flags, a));
  std::printf("array of %d bits, %zu x %zu x %zu, flags %u\n", channels.x, extent.width, extent.height, extent.depth, flags);
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
}

static void geometries() {
  const auto half_word = cudaCreateChannelDesc<short>();
  cudaArray_t arrays[5];
  const cudaExtent extents[] = {{16, 0, 0}, {4, 2, 2}, {8, 0, 2}, {4, 2, 2}, {2, 2, 6}};
  const unsigned flags[] = {0, 0, cudaArrayLayered, cudaArrayLayered, cudaArrayCubemap};
  cudaSurfaceObject_t s[5];
  for (int k = 0; k < 5; ++k) {
    CHECK(cudaMalloc3DArray(&arrays[k], &half_word, extents[k], flags[k] | cudaArraySurfaceLoadStore));
    s[k] = surface_of(arrays[k]);
  }
  short* out = nullptr;
  CHECK(cudaMallocManaged(&out, 5 * 16 * sizeof(short)));
  others<<<1, 16>>>(s[0], s[1], s[2], s[3], s[4], out);
  CHECK(cudaDeviceSynchronize());
  std::printf("geometries %016llx\n", hash_of(out, 5 * 16 * sizeof(short)));
  for (const auto one : s) CHECK(cudaDestroySurfaceObject(one));
  for (const auto array : arrays) CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

static void refusals() {
  const auto f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>(), b = cudaCreateChannelDesc<unsigned char>();
  const auto three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  cudaArray_t a = nullptr;
  say("three channels", cudaMallocArray(&a, &three, 16, 4));
  say("no width", cudaMallocArray(&a, &f, 0, 4));
  say("too wide", cudaMallocArray(&a, &f, 200000, 4));
  say("a cube that is none", cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
  say("a cube of five faces", cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
  CHECK(cudaMallocArray(&a, &i, 16, 4));
  float host[64] = {};
  say("a copy too wide", cudaMemcpy2DToArray(a, 0, 0, host, 128, 128, 1, cudaMemcpyHostToDevice));
  say("a copy beyond the end", cudaMemcpy2DToArray(a, 32, 0, host, 64, 64, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  cudaTextureObject_t t = 0;
  const auto make = [&](const char* what) { say(what, cudaCreateTextureObject(&t, &resource, &how, nullptr)); };
  resource.resType = cudaResourceTypeArray, resource.res.array.array = a;
  how.filterMode = cudaFilterModeLinear;
  make("integers filtered");
  how = {}, how.readMode = cudaReadModeNormalizedFloat;
  make("words as fractions");
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4096));
  resource.resType = cudaResourceTypeLinear, resource.res.linear = {memory, f, 4096};
  make("floats as fractions");
  resource.res.linear.desc = b, how.filterMode = cudaFilterModeLinear;
  make("linear memory, filtered bytes as fractions");
  how = {}, resource.res.linear = {static_cast<char*>(memory) + 4, f, 64};
  make("linear memory, 4 bytes in");
  resource.res.linear = {nullptr, f, 64};
  make("no memory");
  resource.res.linear = {memory, three, 64};
  make("linear memory, three channels");
  resource.resType = cudaResourceTypePitch2D, resource.res.pitch2D = {memory, f, 8, 8, 36};
  make("a pitch of 36 bytes");
  resource.res.pitch2D = {memory, f, 8, 8, 32};
  make("a pitch of 32 bytes");
  say("destroyed", cudaDestroyTextureObject(t));
  say("nothing destroyed", cudaDestroyTextureObject(0));
  say("no array freed", cudaFreeArray(nullptr));
  std::size_t most = 0;
  CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f, 0));
  std::printf("%zu texels of linear memory\n", most);
  CHECK(cudaFreeArray(a));
  CHECK(cudaFree(memory));
}

int main() {
  pictures();
  geometries();
  refusals();
  const auto word = cudaCreateChannelDesc<int>();
  cudaArray_t a = nullptr;
  CHECK(cudaMallocArray(&a, &word, 16, 4, cudaArraySurfaceLoadStore));
  std::vector<int> host(64);
  for (int k = 0; k < 64; ++k) host[k] = 1000 + k;
  CHECK(cudaMemcpy2DToArray(a, 0, 0, host.data(), 64, 64, 4, cudaMemcpyHostToDevice));
  const cudaSurfaceObject_t s = surface_of(a);
  int* out = nullptr;
  CHECK(cudaMallocManaged(&out, 64));
  edges<<<1, 1>>>(s, out);
  CHECK(cudaDeviceSynchronize());
  std::printf("at the edges %d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
  outside<<<1, 1>>>(s);
  say("outside", cudaDeviceSynchronize());
}
