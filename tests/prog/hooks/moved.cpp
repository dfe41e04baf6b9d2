// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors that are watched move when they grow; one of them is within another one.
#include <mpi.h>
#include <vector>

#include "dvmdbg.h"

struct Part {
	std::vector<double> w = std::vector<double>(2, 1.0);
};
std::vector<double> values(2, 1.0);
std::vector<Part> parts(2);

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	std::vector<int> mine(3, 7);
	DVMDBG_SL(.range = { { 1, 4 } })
	for (int k = 1; k <= 4; k++) {
		DVMDBG_ITERATION(k);
		DVMDBG_PL(.range = { { 0, 0 } })
		for (int i = 0; i < 1; i++) {
			values.resize(values.size() * 2);
			parts.resize(parts.size() * 3);
			mine.resize(mine.size() * 2);
			if (k == 3)
				values[1] = 30; // values
			if (k == 3)
				parts[1].w[0] = 40; // parts
			if (k == 4)
				mine[2] = 50; // mine
		}
	}
	int n = (int)(values.size() + parts.size() + mine.size());
	MPI_Finalize();
	return n == 0;
}
