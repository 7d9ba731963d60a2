// The same kernels as `nvcc -G` makes them: every variable in memory or moved about, every call a call, every branch of
// the source a branch, for a debugger to follow. The lecture's second profiler run. (In a namespace of their own,
// because a program may hold both.)
namespace debug {
#include "kernels.cu"
}
