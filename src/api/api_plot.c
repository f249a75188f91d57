// SPDX-License-Identifier: Apache-2.0
#include "api/handles.h"
#include "base/float_state.h"
#include "render/chart_file.h"

ws_status ws_plot_write(ws_context *context, const ws_plot *plot, ws_write_fn *write, void *user)
{
    STANDARD_FLOATS;
    API_CALL(context)
    TRY(handle_check_size(&context->diag, "ws_plot", plot->size, sizeof *plot));
    return chart_file_write(&context->diag, plot, write, user);
}
