#include <cuda_fp16.h>

struct Point {
  float x, y, z;
};

__global__ void types(unsigned char* u8, char c, short s, __half h, double d, unsigned long long u) {
  u8[0] = c;
  u8[1] = static_cast<unsigned char>(s >> 8);
  u8[2] = static_cast<unsigned char>(__half2float(h));
  u8[3] = static_cast<unsigned char>(d);
  u8[4] = static_cast<unsigned char>(u >> 56);
}

__global__ void move(Point* points, Point by) { points[threadIdx.x].x += by.x; }
