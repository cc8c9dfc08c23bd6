#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sessions from outside: the commands, plain JSON over the socket, a varlink client that is not ours,
and what happens when something goes away. Needs root."""

import os
import sys
import unittest

if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        os.environ["BUILD"] = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    sys.dont_write_bytecode = True
    # They look at what the command line says.
    from commands import Commands  # noqa: F401
    from losses import Losses  # noqa: F401
    from protocol import Protocol  # noqa: F401
    from receivers import Receivers  # noqa: F401
    from sources import Sources  # noqa: F401
    unittest.main(verbosity=2)
