/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may call itself when it believes in a thread sanitizer, and clang round
 * functions that are not to be looked at: nothing happens, and what has a result is 0. The lists
 * are what libtsan exports (sanitizer/tsan_interface.h and, older, the annotations of data races).
 * Weak, as a program may bring its own.
 */

/* clang-format off */
#define TSAN_LIST(X) \
	X(acquire) X(create_fiber) X(destroy_fiber) X(external_assign_tag) X(external_read) \
	X(external_register_header) X(external_register_tag) X(external_write) \
	X(flush_memory) X(get_alloc_stack) X(get_current_fiber) X(get_current_report) \
	X(get_report_data) X(get_report_loc) X(get_report_loc_object_type) \
	X(get_report_mop) X(get_report_mutex) X(get_report_stack) X(get_report_tag) \
	X(get_report_thread) X(get_report_unique_tid) X(ignore_thread_begin) \
	X(ignore_thread_end) X(java_acquire) X(java_alloc) X(java_finalize) X(java_find) \
	X(java_fini) X(java_free) X(java_init) X(java_move) X(java_mutex_lock) \
	X(java_mutex_lock_rec) X(java_mutex_read_lock) X(java_mutex_read_unlock) \
	X(java_mutex_unlock) X(java_mutex_unlock_rec) X(java_release) X(java_release_store) \
	X(locate_address) X(mutex_create) X(mutex_destroy) X(mutex_post_divert) \
	X(mutex_post_lock) X(mutex_post_signal) X(mutex_post_unlock) X(mutex_pre_divert) \
	X(mutex_pre_lock) X(mutex_pre_signal) X(mutex_pre_unlock) X(release) \
	X(set_fiber_name) X(switch_to_fiber) X(testonly_barrier_init) \
	X(testonly_barrier_wait) X(testonly_shadow_stack_current_size)
#define ANNOTATION_LIST(X) \
	X(AnnotateBenignRace) X(AnnotateBenignRaceSized) X(AnnotateCondVarSignal) \
	X(AnnotateCondVarSignalAll) X(AnnotateCondVarWait) X(AnnotateEnableRaceDetection) \
	X(AnnotateExpectRace) X(AnnotateFlushExpectedRaces) X(AnnotateFlushState) \
	X(AnnotateHappensAfter) X(AnnotateHappensBefore) X(AnnotateIgnoreReadsBegin) \
	X(AnnotateIgnoreReadsEnd) X(AnnotateIgnoreSyncBegin) X(AnnotateIgnoreSyncEnd) \
	X(AnnotateIgnoreWritesBegin) X(AnnotateIgnoreWritesEnd) \
	X(AnnotateMemoryIsInitialized) X(AnnotateMemoryIsUninitialized) \
	X(AnnotateMutexIsNotPHB) X(AnnotateMutexIsUsedAsCondVar) X(AnnotateNewMemory) \
	X(AnnotateNoOp) X(AnnotatePCQCreate) X(AnnotatePCQDestroy) X(AnnotatePCQGet) \
	X(AnnotatePCQPut) X(AnnotatePublishMemoryRange) X(AnnotateRWLockAcquired) \
	X(AnnotateRWLockCreate) X(AnnotateRWLockCreateStatic) X(AnnotateRWLockDestroy) \
	X(AnnotateRWLockReleased) X(AnnotateThreadName) X(AnnotateTraceMemory) \
	X(AnnotateUnpublishMemoryRange) X(WTFAnnotateBenignRaceSized) \
	X(WTFAnnotateHappensAfter) X(WTFAnnotateHappensBefore)
/* clang-format on */

/* No parameters, though they are called with some: that is all the same to those who take none. */
#define NOTHING(name)                          \
	__attribute__((weak)) long name(void); \
	__attribute__((weak)) long name(void)  \
	{                                      \
		return 0;                      \
	}
#define TSAN_NOTHING(name) NOTHING(__tsan_##name)
TSAN_LIST(TSAN_NOTHING)
ANNOTATION_LIST(NOTHING)
