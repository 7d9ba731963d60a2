// A library that has nothing to do with gpulab.
extern "C" int answer() { return 42; }
