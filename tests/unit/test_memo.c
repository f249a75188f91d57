// SPDX-License-Identifier: Apache-2.0
/* A memo that several threads fill at once: they all get the same entry of a key, made by one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <pthread.h>

#include "base/memo.h"
#include "base/memory.h"

enum { THREADS = 4, KEYS = 2000 };

struct square {
    struct memo_entry entry;
    uint64_t value;
};

struct job {
    struct memo *memo;
    unsigned first; /* threads begin with different keys */
    const struct square *got[KEYS];
};

static const struct square *square_of(struct memo *memo, uint64_t number)
{
    const struct memo_key key = {{number % 3, number}};
    const struct memo_entry *known = memo_find(memo, &key);
    if (!known) {
        struct square *made = mem_zalloc(1, sizeof *made);
        made->entry.key = key;
        made->value = number * number;
        known = memo_add(memo, &made->entry);
    }
    return (const struct square *)(const void *)known;
}

static void *work(void *argument)
{
    struct job *job = argument;
    for (unsigned i = 0; i < KEYS; i++) {
        unsigned number = (i + job->first) % KEYS;
        job->got[number] = square_of(job->memo, number);
    }
    return NULL;
}

static void test_all_threads_get_one_entry(void **state)
{
    (void)state;
    static struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct memo *memo = mem_zalloc(1, sizeof *memo);
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i].memo = memo;
        jobs[i].first = i * 7;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (unsigned number = 0; number < KEYS; number++) {
        assert_int_equal(jobs[0].got[number]->value, (uint64_t)number * number);
        for (unsigned i = 1; i < THREADS; i++)
            assert_ptr_equal(jobs[i].got[number], jobs[0].got[number]);
    }
    memo_clear(memo);
    const struct memo_key key = {{1, 1}};
    assert_null(memo_find(memo, &key));
    mem_free(memo);
}

/* Memory runs out in a call that has added to something older than it: that keeps the entry. */
static void add_and_fail(void *argument)
{
    (void)square_of(argument, 5);
    mem_raise(1);
}

static void test_an_older_memo_keeps_its_entries(void **state)
{
    (void)state;
    size_t wanted;
    struct memo *memo = mem_zalloc(1, sizeof *memo);
    assert_false(mem_attempt(add_and_fail, memo, &wanted));
    const struct memo_key key = {{5 % 3, 5}};
    const struct memo_entry *known = memo_find(memo, &key);
    assert_non_null(known);
    assert_int_equal(((const struct square *)(const void *)known)->value, 25);
    memo_clear(memo);
    mem_free(memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_threads_get_one_entry),
        cmocka_unit_test(test_an_older_memo_keeps_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
