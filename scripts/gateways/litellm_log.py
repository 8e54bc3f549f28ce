"""LiteLLM's own record of each call, a JSON line each, in $CALLBACK_LOG."""

import json
import os

from litellm.integrations.custom_logger import CustomLogger


class Log(CustomLogger):
    def __init__(self):
        super().__init__()
        self.file = open(os.environ["CALLBACK_LOG"], "a", buffering=1)

    def write(self, kwargs):
        record = kwargs.get("standard_logging_object")
        if record is not None:
            self.file.write(json.dumps(record, default=str) + "\n")

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs)

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs)


log = Log()
