/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same in C++: templates, iterators, lambdas, raw strings. */
#include <vector>
#include <cstdio>
#include <omp.h>
template <class T> struct V { std::vector<T> v; void fill() {
#pragma omp parallel for
  for (auto it = v.begin(); it < v.end(); ++it) *it = T(1'000);
  auto f = [&](int n) {
    double s = 0;
#pragma omp parallel for reduction(+:s)
    for (int i = 0; i < n; i++) s += [](double x) { return x * 2; }(v[i]);
    return s; };
  std::printf("%g %s\n", f((int)v.size()), R"x(for ( { ")x");
} };
namespace n { int k(){ return omp_get_thread_num(); } }
int main() { V<double> a; a.v.resize(50); a.fill(); return n::k(); }
