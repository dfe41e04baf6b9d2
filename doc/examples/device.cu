/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Smoothing of n numbers in the memory of a GPU, with CUDA: each rank has its part there, with one number of its
 * neighbours on each side. The debugger is given two functions that copy numbers from there and to there, and shows,
 * compares and assigns them as those of any array. Kernels are waited for before each point.
 *	nvcc -ccbin mpicxx -g device.cu -ldvmdbg -o device;  device [N [STEPS]] [--fault]
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "dvmdbg.h"

/* A part of a distributed array on the device: own numbers first … first + count - 1, and one more on each side. */
struct part {
	double *at;
	long first, count;
};

static long n = 100, steps = 4;
static int rank, size;
static bool fault;

static void check(cudaError_t rc)
{
	if (rc != cudaSuccess) {
		std::fprintf(stderr, "device: %s\n", cudaGetErrorString(rc));
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
}

/* Numbers from … from + count - 1 of what the device holds; number 0 is the neighbour's. */
static int get(void *part, void *to, size_t from, size_t count)
{
	const struct part *p = static_cast<struct part *>(part);

	return cudaMemcpy(to, p->at + from, count * sizeof(double), cudaMemcpyDeviceToHost) == cudaSuccess ? 0 : -1;
}

static int put(void *part, const void *from, size_t to, size_t count)
{
	const struct part *p = static_cast<struct part *>(part);

	return cudaMemcpy(p->at + to, from, count * sizeof(double), cudaMemcpyHostToDevice) == cudaSuccess ? 0 : -1;
}

static double start_value(long i)
{
	return (double)(i * 7 % 11);
}

__global__ void smooth(const double *u, double *v, long first, long count, long n)
{
	long i = blockIdx.x * (long)blockDim.x + threadIdx.x + 1, index = first + i - 1;

	if (i <= count)
		v[i] = index == 0 || index == n - 1 ? u[i] : (u[i - 1] + 2 * u[i] + u[i + 1]) / 4;
}

static struct part part_make()
{
	struct part p;

	p.first = n * rank / size;
	p.count = n * (rank + 1) / size - p.first;
	check(cudaMalloc(reinterpret_cast<void **>(&p.at), (p.count + 2) * sizeof(double)));
	std::vector<double> x(p.count + 2);
	for (long i = 0; i < p.count + 2; i++)
		x[i] = start_value(p.first + i - 1);
	put(&p, x.data(), 0, x.size());
	return p;
}

/* The neighbours' numbers beside the own ones, by way of the host. */
static void exchange(struct part *p)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double first, last, before, behind;

	get(p, &first, 1, 1);
	get(p, &last, p->count, 1);
	MPI_Sendrecv(&first, 1, MPI_DOUBLE, left, 1, &behind, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(&last, 1, MPI_DOUBLE, right, 2, &before, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (left != MPI_PROC_NULL)
		put(p, &before, 0, 1);
	if (right != MPI_PROC_NULL)
		put(p, &behind, p->count + 1, 1);
}

int main(int argc, char **argv)
{
	double sum = 0, all;

	for (int i = 1; i < argc; i++)
		if (!std::strcmp(argv[i], "--fault"))
			fault = true;
		else
			*(i == 1 ? &n : &steps) = std::atol(argv[i]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	struct part u = part_make(), v = part_make();
	DVMDBG_ELSEWHERE(u, DVMDBG_DOUBLE, .shape = { n }, .own = { { u.first, u.first + u.count - 1 } }, .halo = { 1 },
			 .fetch = get, .store = put, .context = &u);
	DVMDBG_ELSEWHERE(v, DVMDBG_DOUBLE, .shape = { n }, .own = { { v.first, v.first + v.count - 1 } }, .halo = { 1 },
			 .fetch = get, .store = put, .context = &v);
	DVMDBG_SL(.range = { { 1, steps } })
	for (long s = 1; s <= steps; s++) {
		DVMDBG_ITERATION(s);
		if (!fault || s < 2)
			exchange(&u);
		DVMDBG_PL(.on = &v, .range = { { 0, n - 1 } }, .writes = { &v }, .reads = { &u })
		{
			smooth<<<(unsigned)(u.count + 255) / 256, 256>>>(u.at, v.at, u.first, u.count, n);
			check(cudaDeviceSynchronize());
		}
		DVMDBG_PL(.on = &u, .range = { { 0, n - 1 } }, .writes = { &u }, .reads = { &v })
		check(cudaMemcpy(u.at + 1, v.at + 1, u.count * sizeof(double), cudaMemcpyDeviceToDevice));
	}
	for (long i = 1; i <= u.count; i++) {
		double x;

		get(&u, &x, i, 1);
		sum += x;
	}
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		std::printf("device: sum %.12g\n", all);
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	check(cudaFree(u.at));
	check(cudaFree(v.at));
	MPI_Finalize();
	return 0;
}
