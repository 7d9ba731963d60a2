// nvJitLink, of a version that links no intermediate code (LTO): who asks which it is links PTX by cuLink instead, which
// is here. For interpreters, which look for it while they run.

extern "C" int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = 12;
  *minor = 2;
  return 0;
}
