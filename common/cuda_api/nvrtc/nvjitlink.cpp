// nvJitLink without a function, not even the one that says its version, which it has had since 12.3: who looks for it
// takes it for an old one, which links no intermediate code (LTO), and links PTX by cuLink instead, which is here. For
// interpreters, which look for it while they run.

extern "C" const int gpulab_has_no_nvjitlink = 1;
