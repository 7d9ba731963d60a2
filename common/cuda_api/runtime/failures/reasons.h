#pragma once
// Why calls fail, in the words of those who wrote them: the rules of the tool `api`. A function of the runtime takes
// the one that fits: `return s.because(cudaErrorInvalidValue, too_much_for_symbol(…));`. New ones go here.

#include <driver_types.h>

#include <cstdint>
#include <string>

#include "common/cuda_api/runtime/failures/failures.h"

namespace gpulab::cuda_api {

class Session;
struct MemoryEntry;
struct VariableEntry;
struct ArrayEntry;

// Memory. `side`: "destination", "source"; `other`: the address of a copy's other side, 0: there is none.
Reason not_of_device(const Session& session, const char* side, std::uint64_t address, std::uint64_t other = 0);
Reason null_or_freed(const Session& session, const char* side, std::uint64_t address);
Reason beyond_allocation(const char* side, const MemoryEntry& entry, std::size_t bytes, std::size_t there);
Reason beyond_array(std::uint64_t bytes, std::uint64_t there);
Reason box_beyond_array(const ArrayEntry& array, const cudaPos& at, const cudaExtent& box);
Reason pitch_too_small(const char* side, std::size_t pitch, std::size_t width);
Reason no_direction(int kind);
Reason not_a_symbol(const Session& session, const void* symbol);
Reason too_much_for_symbol(const VariableEntry& variable, std::size_t bytes, std::size_t offset, std::size_t there);
Reason too_large(const Session& session, const char* function, std::size_t bytes);
Reason not_to_free(const Session& session, std::uint64_t address, bool of_host);
Reason registered_before(const Session& session, std::uint64_t address, std::size_t bytes);
Reason not_registered(const Session& session, std::uint64_t address);
Reason not_managed(const Session& session, std::uint64_t address);
Reason null_argument(const char* what);
Reason pool_of_another();
Reason other_pool_handles();
Reason no_such_pools();

// Textures.
Reason no_array(const void* handle);
Reason no_array_to_free();
Reason array_too_large(const cudaExtent& extent, unsigned flags);
Reason no_channels(const cudaChannelFormatDesc& channels);
Reason filter_of_integers();
Reason fractions_of(bool of_floats);
Reason misplaced_texels(std::uint64_t address, std::uint64_t alignment);
Reason texture_pitch(const cudaResourceDesc& resource, std::size_t texel_bytes, std::uint64_t alignment);
Reason surface_of_no_array();

// Events, streams, devices, kernels.
Reason no_event(const char* which = "");  ///< "first "
Reason event_not_recorded(const char* which);
Reason nobody_waited();
Reason event_without_time(const char* which);
Reason no_stream(cudaStream_t stream);
Reason no_device(int device);
Reason own_peer(int device);
Reason peer_enabled_already(int device, int peer);
Reason peer_not_enabled(int device, int peer);
/// `what`: "the event is", "the current one is".
/// A fill by a GPU that may not reach the memory.
Reason memory_of_another(const std::string& name, int memory_gpu, int gpu);
Reason stream_of_another(const char* what, int stream_gpu, int other);
Reason events_of_two(int first, int second);
Reason too_much_shared(std::size_t value, std::size_t fixed, std::size_t most, const std::string& kernel);
Reason no_kernel();
Reason in_host_function();
Reason not_in_capture(const char* what);
Reason ended_capture();
Reason capture_of_another();
Reason fork_not_joined();
Reason waits_for_uncaptured();
Reason event_of_capture();

}  // namespace gpulab::cuda_api
