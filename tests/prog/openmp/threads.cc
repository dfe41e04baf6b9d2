/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As threads.c, with threads of C++'s library. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
#include <sys/resource.h>

#include "run.h"

#ifndef THREADS
#define THREADS 2
#endif
#define TIMES 50

static int x, y;
static std::mutex m;
static std::vector<int> numbers(THREADS * 8);

template <class F> static void with(F f)
{
	std::vector<std::thread> all;

	for (int i = 0; i < THREADS; i++)
		all.emplace_back(f, i);
	for (auto &t : all)
		t.join();
}

/* @pair counter w w ww x
 * @pair counter w w wr x */
static void counter()
{
	with([](int) {
		for (int i = 0; i < TIMES; i++)
			x++; /* @counter.w */
	});
}

/* @right guard */
static void guard()
{
	with([](int) {
		for (int i = 0; i < TIMES; i++) {
			std::lock_guard<std::mutex> l(m);
			x++;
		}
	});
	x++;
}

/* @pair names a b ww x
 * @pair names a b wr x
 * @pair names b a wr x */
static void names()
{
	static std::recursive_mutex other;
	std::thread s([] {
		std::unique_lock<std::mutex> l(m);
		x++; /* @names.a */
	});
	std::thread t([] {
		std::lock_guard<std::recursive_mutex> l(other);
		std::lock_guard<std::recursive_mutex> again(other);
		x++; /* @names.b */
	});

	s.join();
	t.join();
}

/* @right parts */
static void parts()
{
	with([](int me) {
		for (int i = 0; i < 8; i++)
			numbers[me * 8 + i] = i;
	});
	x = std::accumulate(numbers.begin(), numbers.end(), 0);
}

/* @right results */
static int sum_of(int from, int to)
{
	int sum = 0;

	for (int i = from; i < to; i++)
		sum += numbers[i];
	return sum;
}
static void results()
{
	std::vector<std::future<int>> all;

	for (int i = 0; i < THREADS; i++)
		all.push_back(std::async(std::launch::async, sum_of, i * 8, i * 8 + 8));
	for (auto &f : all)
		x += f.get();
}

/* @pair task w r wr x */
static void task()
{
	auto f = std::async(std::launch::async, [] { x = 3; /* @task.w */ });

	y = x; /* @task.r */
	f.wait();
}

/* @right counted */
static void counted()
{
	std::atomic<int> n(0);

	with([&n](int) {
		for (int i = 0; i < TIMES; i++)
			n++;
	});
	x = n;
}

/* @partial published */
static void published()
{
	std::atomic<bool> ready(false);
	std::thread s([&ready] {
		x = 5;
		ready.store(true, std::memory_order_release);
	});
	std::thread t([&ready] {
		while (!ready.load(std::memory_order_acquire))
			std::this_thread::yield();
		y = x;
	});

	s.join();
	t.join();
}

/* @pair relaxed w r wr x */
static void relaxed()
{
	std::atomic<bool> ready(false);
	std::thread s([&ready] {
		x = 5; /* @relaxed.w */
		ready.store(true, std::memory_order_relaxed);
	});
	std::thread t([&ready] {
		while (!ready.load(std::memory_order_relaxed))
			std::this_thread::yield();
		y = x; /* @relaxed.r */
	});

	s.join();
	t.join();
}

/* @right waiting */
static void waiting()
{
	std::condition_variable c;
	std::vector<int> queue;
	std::thread s([&] {
		for (int i = 0; i < TIMES; i++) {
			std::lock_guard<std::mutex> l(m);
			queue.push_back(i);
			c.notify_one();
		}
	});
	std::thread t([&] {
		for (int i = 0; i < TIMES; i++) {
			std::unique_lock<std::mutex> l(m);
			c.wait(l, [&] { return !queue.empty(); });
			x += queue.back();
			queue.pop_back();
		}
	});

	s.join();
	t.join();
}

/* @right shared */
static void shared()
{
	static std::shared_mutex both;

	with([](int) {
		int sum = 0;

		for (int i = 0; i < TIMES; i++) {
			{
				std::shared_lock<std::shared_mutex> l(both);
				sum += x;
			}
			std::unique_lock<std::shared_mutex> l(both);
			x = sum & 3;
		}
	});
}

/* @right once */
static int first_use()
{
	static std::once_flag flag;
	static const std::vector<int> *made = new std::vector<int>(4, 1);

	std::call_once(flag, [] { y = 2; });
	return (*made)[2] + y;
}
static void once()
{
	with([](int me) { numbers[me] = first_use(); });
}

/* @right own */
static thread_local int mine;
static void own()
{
	with([](int me) {
		std::string s;
		std::map<int, int> map;

		for (int i = 0; i < TIMES; i++) {
			mine += i;
			map[i % 7] += mine;
			s += "a longer text than what fits into the object ";
			s[0] = 'b';
		}
		numbers[me] = map[3] + (int)s.size();
	});
}

/* @right owners */
struct thing {
	int value[8];
};
static void owners()
{
	auto p = std::make_shared<const thing>(thing{ { 1, 2, 3 } });

	with([p](int me) {
		std::shared_ptr<const thing> q = p;

		numbers[me] = q->value[me & 7];
	});
}

/* @partial pool */
static void pool()
{
	std::vector<std::thread> all;
	std::vector<std::function<void()>> queue;
	std::vector<std::future<int>> results;
	std::condition_variable c;
	bool stop = false;

	for (int i = 0; i < THREADS; i++)
		all.emplace_back([&] {
			for (;;) {
				std::unique_lock<std::mutex> l(m);

				c.wait(l, [&] { return stop || !queue.empty(); });
				if (queue.empty())
					return;
				auto f = std::move(queue.back());
				queue.pop_back();
				l.unlock();
				f();
			}
		});
	for (int i = 0; i < TIMES; i++) {
		auto t = std::make_shared<std::packaged_task<int()>>([i] { return i; });
		results.push_back(t->get_future());
		std::lock_guard<std::mutex> l(m);
		queue.emplace_back([t] { (*t)(); });
		c.notify_one();
	}
	for (auto &f : results)
		x += f.get();
	{
		std::lock_guard<std::mutex> l(m);
		stop = true;
	}
	c.notify_all();
	for (auto &t : all)
		t.join();
}

/* @pair captured w w ww -
 * @pair captured w w wr - */
static void captured()
{
	int n = 0;

	with([&n](int) {
		n++; /* @captured.w */
	});
	x = n;
}

/* @right promised */
static void promised()
{
	std::promise<int> p;
	std::future<int> f = p.get_future();
	std::thread t([&p] { p.set_value(4); });

	t.join();
	x = f.get();
}

static rlim_t files()
{
	rlimit now;

	getrlimit(RLIMIT_NOFILE, &now);
	return now.rlim_cur;
}

/* What main waits for orders nothing. */
/* @pair detached w r wr x */
static void detached()
{
	rlim_t before = files();

	std::thread([before] {
		rlimit now;

		x = 1; /* @detached.w */
		getrlimit(RLIMIT_NOFILE, &now);
		now.rlim_cur = before - 1;
		setrlimit(RLIMIT_NOFILE, &now);
	}).detach();
	while (files() == before)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	y = x; /* @detached.r */
}

#if __cplusplus > 201703L
/* @right joining */
static void joining()
{
	{
		std::jthread t([](std::stop_token s) { x += !s.stop_requested(); });
	}
	x++;
}
#endif

int main(int argc, char **argv)
{
	static const struct named_case cases[] = {
		{ "counter", counter },	  { "guard", guard },	    { "names", names },
		{ "parts", parts },	  { "results", results },   { "task", task },
		{ "counted", counted },	  { "published", published }, { "relaxed", relaxed },
		{ "waiting", waiting },	  { "shared", shared },	    { "once", once },
		{ "own", own },		  { "owners", owners },	    { "captured", captured },
		{ "promised", promised }, { "pool", pool }, { "detached", detached },
#if __cplusplus > 201703L
		{ "joining", joining },
#endif
	};

	return run_named(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
