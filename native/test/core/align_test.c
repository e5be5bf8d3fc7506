#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int refuse_advice;
static int refuse_populating; /* the errno, or 0 */
static int advices;

int __real_madvise(void *address, size_t length, int advice);
int __wrap_madvise(void *address, size_t length, int advice);
int __wrap_madvise(void *address, size_t length, int advice)
{
    advices += advice == MADV_HUGEPAGE;
    if (refuse_advice || (refuse_populating && advice == MADV_POPULATE_WRITE)) {
        errno = refuse_advice ? EINVAL : refuse_populating;
        return -1;
    }
    return __real_madvise(address, length, advice);
}

int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
static int out_of_memory;
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return out_of_memory ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

/* Whether memory is still mapped would not tell: a sanitizer keeps for a while what was given back. */
static _Atomic(void *) last_freed;

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    if (memory)
        last_freed = memory;
    __real_free(memory);
}

static void assert_zeroed_on_boundary(int64_t size, uintptr_t boundary)
{
    /* Dirty memory that the allocator is likely to hand out again. */
    void *dirty = malloc((size_t)size);
    memset(dirty, 0xa5, (size_t)size);
    __asm__ volatile("" : : "r"(dirty) : "memory");
    free(dirty);
    void *memory = NULL;
    assert_int_equal(drumlin_memory_allocate(&memory, size), 0);
    assert_int_equal((uintptr_t)memory % boundary, 0);
    for (int64_t i = 0; i < size; i++)
        assert_int_equal(((uint8_t *)memory)[i], 0);
    drumlin_memory_free(memory);
}

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    assert_zeroed_on_boundary(1, DRUMLIN_ALIGNMENT);
    assert_zeroed_on_boundary(4097, DRUMLIN_ALIGNMENT);
    assert_zeroed_on_boundary(1 << 20, DRUMLIN_ALIGNMENT);
    assert_int_equal(advices, 0);
}

static void large_memory_asks_for_huge_pages(void **state)
{
    (void)state;
    advices = 0;
    assert_zeroed_on_boundary((2 << 20) + 5, 2 << 20);
    assert_int_equal(advices, 1);
}

/* Before Linux 5.14. */
static void without_populating_memory_is_zeroed_in_huge_pages(void **state)
{
    (void)state;
    refuse_populating = EINVAL;
    advices = 0;
    assert_zeroed_on_boundary((16 << 20) + 4097, 2 << 20);
    assert_int_equal(advices, 1);
    refuse_populating = 0;
}

/* As large as the allocator's memory for reuse can be, so that what is handed out is likely what was dirty. */
static void large_memory_is_zeroed_when_it_is_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_zeroed_on_boundary((16 << 20) + 4097, 2 << 20);
}

static void refused_huge_pages_do_no_harm(void **state)
{
    (void)state;
    refuse_advice = 1;
    assert_zeroed_on_boundary(4 << 20, 2 << 20);
    refuse_advice = 0;
}

static void wrong_sizes_and_want_of_memory_are_told(void **state)
{
    (void)state;
    void *memory = NULL;
    assert_int_equal(drumlin_memory_allocate(&memory, 0), -EINVAL);
    assert_int_equal(drumlin_memory_allocate(&memory, -1), -EINVAL);
    out_of_memory = 1;
    assert_int_equal(drumlin_memory_allocate(&memory, 4096), -ENOMEM);
    out_of_memory = 0;
    /* The kernel may find out only when it is to give the pages. */
    refuse_populating = ENOMEM;
    assert_int_equal(drumlin_memory_allocate(&memory, 16 << 20), -ENOMEM);
    refuse_populating = 0;
    drumlin_memory_free(NULL);
}

static void *recycled_after_use(int64_t size)
{
    void *memory = NULL;
    assert_int_equal(drumlin_memory_allocate(&memory, size), 0);
    memset(memory, 0xa5, (size_t)size);
    drumlin_memory_recycle(memory, size);
    return memory;
}

static void memory_waits_for_who_needs_as_much(void **state)
{
    (void)state;
    int64_t size = (4 << 20) + 4096;
    void *used = recycled_after_use(size);
    void *other = NULL;
    assert_int_equal(drumlin_memory_allocate(&other, 4 << 20), 0);
    assert_ptr_not_equal(other, used);
    void *again = NULL;
    assert_int_equal(drumlin_memory_allocate(&again, size), 0);
    assert_ptr_equal(again, used);
    for (int64_t i = 0; i < size; i++)
        assert_int_equal(((uint8_t *)again)[i], 0);
    void *second = NULL;
    assert_int_equal(drumlin_memory_allocate(&second, size), 0);
    assert_ptr_not_equal(second, again);
    drumlin_memory_free(other);
    drumlin_memory_free(again);
    drumlin_memory_free(second);
}

/* Three pieces of 48 MiB are more than 128. */
static void the_oldest_memory_is_given_back(void **state)
{
    (void)state;
    int64_t size = 48 << 20;
    void *pieces[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        assert_int_equal(drumlin_memory_allocate(&pieces[i], size), 0);
    last_freed = NULL;
    drumlin_memory_recycle(pieces[0], size);
    drumlin_memory_recycle(pieces[1], size);
    assert_null(last_freed);
    drumlin_memory_recycle(pieces[2], size);
    assert_ptr_equal(last_freed, pieces[0]);
}

static void more_than_may_wait_does_not(void **state)
{
    (void)state;
    drumlin_memory_recycle(NULL, 4 << 20);
    void *huge = recycled_after_use((INT64_C(128) << 20) + 4096);
    assert_ptr_equal(last_freed, huge);
}

static void want_of_memory_takes_what_waits(void **state)
{
    (void)state;
    void *used = recycled_after_use(48 << 20);
    void *memory = NULL;
    out_of_memory = 1;
    assert_int_equal(drumlin_memory_allocate(&memory, 4096), -ENOMEM);
    out_of_memory = 0;
    assert_ptr_equal(last_freed, used);
}

struct turn {
    uint8_t mark;
    int spoiled;
};

/* Takes memory, marks it, and looks whether the mark stays. */
static void *take_turns(void *argument)
{
    struct turn *turn = argument;
    for (int i = 0; i < 200; i++) {
        int64_t size = (i % 3 + 1) * (INT64_C(2) << 20);
        uint8_t *memory = NULL;
        if (drumlin_memory_allocate((void **)&memory, size) < 0)
            abort();
        for (int64_t at = 0; at < size; at += DRUMLIN_ALIGNMENT) {
            turn->spoiled += memory[at] != 0;
            memory[at] = turn->mark;
        }
        sched_yield();
        for (int64_t at = 0; at < size; at += DRUMLIN_ALIGNMENT)
            turn->spoiled += memory[at] != turn->mark;
        drumlin_memory_recycle(memory, size);
    }
    return NULL;
}

static void threads_never_have_the_same_memory(void **state)
{
    (void)state;
    pthread_t threads[4];
    struct turn turns[4];
    for (int i = 0; i < 4; i++) {
        turns[i] = (struct turn){(uint8_t)(i + 1), 0};
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &turns[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(turns[i].spoiled, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(large_memory_asks_for_huge_pages),
        cmocka_unit_test(without_populating_memory_is_zeroed_in_huge_pages),
        cmocka_unit_test(large_memory_is_zeroed_when_it_is_used_again),
        cmocka_unit_test(refused_huge_pages_do_no_harm),
        cmocka_unit_test(memory_waits_for_who_needs_as_much),
        cmocka_unit_test(the_oldest_memory_is_given_back),
        cmocka_unit_test(more_than_may_wait_does_not),
        cmocka_unit_test(want_of_memory_takes_what_waits),
        cmocka_unit_test(threads_never_have_the_same_memory),
        cmocka_unit_test(wrong_sizes_and_want_of_memory_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
