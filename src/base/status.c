// SPDX-License-Identifier: Apache-2.0
#include <warpsage/warpsage.h>

static const struct {
    int exit_code;
    const char *words;
} statuses[] = {
#define STATUS_ROW(name, exit_code, words) [name] = {exit_code, words},
    WS_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

const char *ws_status_text(ws_status status)
{
    return statuses[status].words;
}

int ws_status_exit_code(ws_status status)
{
    return statuses[status].exit_code;
}

const char *ws_version(void)
{
    return WS_VERSION_STRING;
}
