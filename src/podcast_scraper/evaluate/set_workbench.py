"""A JSONL set as an embedded index of the product, kept on disk by content."""

from __future__ import annotations

import hashlib
import shutil
from itertools import batched
from typing import TYPE_CHECKING, Any, Final
