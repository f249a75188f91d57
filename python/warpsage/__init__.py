# SPDX-License-Identifier: Apache-2.0
"""How long does a GPU kernel take, what bounds it and what would help? Answered on a computer without a GPU.

    import numpy, warpsage
    x, y = numpy.ones(1 << 20, numpy.float32), numpy.ones(1 << 20, numpy.float32)
    answer = warpsage.analyze("saxpy.ptx", 1 << 20, 2.0, x, y, grid=4096, block=256, gpu="v100")
    print(answer.time, answer.limit)       # seconds; y holds the result
    print(answer)                          # the report
"""
from ._analysis import analyze, ask, explain, machines, predict, questions
from ._answer import Answer, Prediction, Result, format_quantity
from ._library import ERRORS as _ERRORS
from ._library import VERSION as __version__
from ._library import Error
from ._tree import Count, Node, Number, Table

# ArgumentError, FaultError ...: a class for each status of the library.
globals().update({error.__name__: error for error in _ERRORS.values()})

__all__ = ["Answer", "Count", "Error", "Node", "Number", "Prediction", "Result", "Table", "analyze", "ask", "explain",
           "format_quantity", "machines", "predict", "questions", *sorted(error.__name__ for error in _ERRORS.values())]
