"""What Claude Code prints has the messages of its sessions."""

import importlib

count = importlib.import_module("counters.claude-code").count
