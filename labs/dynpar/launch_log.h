#pragma once
// What kernels note of their launches, and the host draws the launch tree from: the same on a GPU as on the simulator.
// For both compilers.

struct LaunchLog {
  static constexpr int most = 8192;
  struct Entry {
    int parent;  // its place in the log; -1: the host
    int depth;   // 0: what the host launched
    int blocks, threads;
  };
  int made;  // launches, the host's included; those beyond `most` are counted, not noted
  Entry launches[most];
};
