"""Whether a service has the keys that it needs."""

from ops.base.encryption.key_cache import KEYS, KeyCache
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.health import Check


async def keys_check(cache: KeyCache = KEYS, *, vital: bool) -> Check:
    """Tell whether keys can be had, and are those of the log.

    Args:
        cache: that the service has its keys from.
        vital: whether it does nothing without them; who reads serves what is not sealed, or was opened.
    """
    try:
        await cache.check()
    except KeysUnavailable as error:
        return Check(ok=not vital, degraded=not vital, detail=str(error))
    if cache.missing_key is not None:
        without = "the key store never had it" if cache.seals else "no key store is configured"
        return Check(ok=True, degraded=True, detail=f"key {cache.missing_key} is wanted, and {without}")
    return Check(ok=True, detail=None if cache.seals else "nothing is sealed")
