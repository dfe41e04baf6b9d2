/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growable arrays of any type: a typed pointer that free() releases, and a number of items. There
 * are two kinds. An array without a field for its room has room for its number of items rounded up
 * to a power of two: it grows only by vec_add and vec_more, and may lose items at any time. An
 * array with such a field grows by vec_room. Without memory, or when the size or the type of the
 * number overflows, nothing changes.
 */
#ifndef DVMDBG_COMMON_CORE_VEC_H
#define DVMDBG_COMMON_CORE_VEC_H

#include <stddef.h>
#include <string.h>

/*
 * The array with room for `need` items of `size` bytes, more than *room, which is at least doubled.
 * NULL: no memory; p and *room are as before.
 */
void *vec_grow(void *p, size_t *room, size_t need, size_t size);
/* The same for an array of n items whose room is n rounded up; add > 0. */
void *vec_extend(void *p, size_t n, size_t add, size_t size);

/* Room for `need` items in the array p, whose room `room` counts. Returns 0 or -1. */
#define vec_room(p, room, need)                                                               \
	({                                                                                    \
		size_t vec_has_ = (size_t)(room), vec_need_ = (size_t)(need);                 \
		void *vec_to_ = NULL;                                                         \
                                                                                              \
		if (vec_need_ > vec_has_ && (size_t)(__typeof__(room))vec_need_ == vec_need_) \
			vec_to_ = vec_grow((p), &vec_has_, vec_need_, sizeof(*(p)));          \
		if (vec_to_) {                                                                \
			(p) = vec_to_;                                                        \
			/* the type of the field may count less room than there is */         \
			if ((size_t)(__typeof__(room))vec_has_ != vec_has_)                   \
				vec_has_ = vec_need_;                                         \
			(room) = (__typeof__(room))vec_has_;                                  \
		}                                                                             \
		vec_need_ <= vec_has_ ? 0 : -1;                                               \
	})

/* Room for `add` items behind the n ones of the array p; n stays. Returns 0 or -1. */
#define vec_more(p, n, add)                                                                      \
	({                                                                                       \
		size_t vec_n_ = (size_t)(n), vec_add_ = (size_t)(add);                           \
		void *vec_to_ = NULL;                                                            \
                                                                                                 \
		if (vec_add_ && (size_t)(__typeof__(n))(vec_n_ + vec_add_) == vec_n_ + vec_add_) \
			vec_to_ = vec_extend((p), vec_n_, vec_add_, sizeof(*(p)));               \
		if (vec_to_)                                                                     \
			(p) = vec_to_;                                                           \
		vec_to_ || !vec_add_ ? 0 : -1;                                                   \
	})

/* A new last item of the array p, all zero, and n is one more; NULL: no memory. */
#define vec_add(p, n)                                             \
	({                                                        \
		__typeof__(p) vec_item_ = NULL;                   \
                                                                  \
		if (!vec_more(p, n, 1)) {                         \
			vec_item_ = &(p)[(n)++];                  \
			memset(vec_item_, 0, sizeof(*vec_item_)); \
		}                                                 \
		vec_item_;                                        \
	})

/* Takes item `at` out; later ones move down. */
#define vec_remove(p, n, at)                                                                     \
	({                                                                                       \
		size_t vec_at_ = (size_t)(at);                                                   \
                                                                                                 \
		(n)--;                                                                           \
		memmove(&(p)[vec_at_], &(p)[vec_at_ + 1], ((size_t)(n)-vec_at_) * sizeof(*(p))); \
	})

#endif
