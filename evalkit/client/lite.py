"""LiteLLM as it is used here: loaded when the first call is near, and quiet."""

from __future__ import annotations

import functools
import logging
import os
import warnings
from collections.abc import Coroutine
from types import ModuleType
from typing import Any


@functools.cache
def load_litellm() -> ModuleType:
    """The module `litellm`, imported once, without its network, cache, retries, callbacks and messages."""
    # Read while LiteLLM is imported: it would fetch a price map from the network, and load a .env.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    # Its search for secrets in error bodies holds the event loop half a second for each 100 kB; ours, in all
    # that leaves this module, reads no more than it keeps.
    os.environ["LITELLM_DISABLE_REDACT_SECRETS"] = "true"
    import litellm as library

    off = ("telemetry", "drop_params", "modify_params", "cache", "num_retries", "model_fallbacks")
    lists = ("callbacks", "input_callback", "success_callback", "failure_callback")
    for name in (*off, *lists):
        setattr(library, name, [] if name in lists else None)
    library.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # What a provider gets wrong in its types is said by the attempt, not by warnings between other output.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    _log_nothing()
    return library


def _log_nothing() -> None:
    """For every call LiteLLM composes an entry for callbacks, half of a call's time; there are none here."""
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    def drop(async_coroutine: Coroutine[Any, Any, Any], *_: Any, **__: Any) -> None:
        async_coroutine.close()

    GLOBAL_LOGGING_WORKER.ensure_initialized_and_enqueue = drop  # type: ignore[method-assign]
