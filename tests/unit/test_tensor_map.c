// SPDX-License-Identifier: Apache-2.0
/* Where ws_tensor_encode puts what. Expected: the places that the code of ptxas 13.0 for tensormap.replace (sm_90a) writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs those above
#include <cmocka.h>
#include <warpsage/warpsage.h>

static void encode(const ws_tensor *tensor, uint32_t words[32])
{
    ws_context *context;
    unsigned char bytes[128];
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_tensor_encode(context, tensor, bytes), WS_OK);
    memcpy(words, bytes, sizeof bytes);
    ws_context_destroy(context);
}

static void test_places(void **state)
{
    (void)state;
    uint32_t words[32];
    const ws_tensor tensor = {.size = sizeof tensor,
                              .type = WS_TENSOR_BF16,
                              .rank = 5,
                              .address = 0x123456789ab0,
                              .sizes = {64, UINT64_C(1) << 32, 7, 9, 11},
                              .strides = {0x1234567890, 0x80, 0xff00000010, 0x100},
                              .steps = {1, 2, 8, 4, 3},
                              .box = {64, 256, 3, 4, 5},
                              .swizzle = 128,
                              .fills_nan = true};
    encode(&tensor, words);
    assert_int_equal(words[0], 0x56789ab0);
    assert_int_equal(words[1], 0x1234);
    /* rank << 4, type 10 << 7, swizzle 3 << 13, NaN << 15 */
    assert_int_equal(words[2], 4 << 4 | 10 << 7 | 3 << 13 | 1 << 15);
    assert_int_equal(words[3], 0x23456789); /* 0x123456789 less its upper 4 bits */
    assert_int_equal(words[4], 0x8);
    assert_int_equal(words[5], 0xf0000001);
    assert_int_equal(words[6], 0x10);
    assert_int_equal(words[7], 0x1 | 0xf << 8);
    const uint32_t sizes[] = {63, UINT32_MAX, 6, 8, 10};
    assert_memory_equal(&words[8], sizes, sizeof sizes);
    assert_int_equal(words[13], 0u | 1u << 3 | 7u << 6 | 3u << 9 | 2u << 12 | 63u << 24);
    assert_int_equal(words[14], 255u | 2u << 8 | 3u << 16 | 4u << 24);
    for (unsigned k = 15; k < 32; k++)
        assert_int_equal(words[k], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
