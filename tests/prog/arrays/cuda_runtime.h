/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of CUDA as doc/examples/device.cu needs, on the host, for a machine without it: the test
 * makes a loop of each launch of a kernel.
 */
#ifndef DVMDBG_TESTS_CUDA_RUNTIME_H
#define DVMDBG_TESTS_CUDA_RUNTIME_H

#include <cstdlib>
#include <cstring>

#define __global__ static

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

struct cuda_index {
	unsigned x;
};
static cuda_index blockIdx, blockDim, threadIdx;

static inline cudaError_t cudaMalloc(void **p, size_t n)
{
	return (*p = std::malloc(n)) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *p)
{
	std::free(p);
	return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind)
{
	std::memcpy(to, from, n);
	return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize()
{
	return cudaSuccess;
}

static inline const char *cudaGetErrorString(cudaError_t)
{
	return "out of memory";
}

#define CUDA_LAUNCH(blocks, threads, call)                                           \
	for (blockDim.x = threads, blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) \
		for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)        \
	call

#endif
