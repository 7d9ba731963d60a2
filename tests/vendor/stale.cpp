// A library of vendor code as an earlier build left it: the interface is today's, the sources are not.
#include "labs/vendor_interface.h"

extern "C" const gpulab::vendor::Library* gpulab_vendor_library() {
  static const gpulab::vendor::Library library{gpulab::vendor::interface_version, "other sources", nullptr, 0};
  return &library;
}
