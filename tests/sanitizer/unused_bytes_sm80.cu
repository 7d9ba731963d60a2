// Loads that the compiler widens over bytes that nobody asked for, which it says in the PTX (`used_bytes_mask`).
// README.md says how the comments are read.

struct alignas(16) Particle {
  int a, b, c, flag;
};

// Three members are read, in one load of 16 bytes. The fourth is written meanwhile: nobody reads that.
// innocent <<<1, 64>>> in[256] out[64]
extern "C" __global__ void members_beside_one_that_is_written(Particle* in, int* out) {
  const int t = threadIdx.x;
  const Particle* other = in + (t ^ 32);
  out[t] = other->a * other->b + other->c;
  in[t].flag = 1000 + t;
}

// innocent <<<1, 64>>> in[67] out[128]
extern "C" __global__ void shared_members_beside_one_that_is_written(const int* in, int* out) {
  __shared__ Particle s[64];
  const int t = threadIdx.x;
  s[t].a = in[t], s[t].b = in[t + 1], s[t].c = in[t + 2];
  __syncthreads();
  const Particle* other = s + (t ^ 32);
  out[t] = other->a * other->b + other->c;
  s[t].flag = t;
  __syncthreads();
  out[64 + t] = s[t ^ 1].flag;
}

// guilty <<<1, 64>>> in[256] out[64]
extern "C" __global__ void members_of_which_one_is_written(Particle* in, int* out) {
  const int t = threadIdx.x;
  const Particle* other = in + (t ^ 32);
  out[t] = other->a * other->b + other->c;  // guilty: racecheck read
  in[t].c = 1000 + t;                       // guilty: racecheck write
}
