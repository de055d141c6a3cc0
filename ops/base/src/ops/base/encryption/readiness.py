"""Whether a service has the keys that it needs."""

from ops.base.encryption.ring import KEYS, KeyRing
from ops.base.encryption.wrapping import KeysUnavailable
from ops.base.http.health import Check


async def keys_check(ring: KeyRing = KEYS, *, vital: bool) -> Check:
    """Tell whether keys can be had, and are those of the log.

    Args:
        ring: that the service has its keys from.
        vital: whether it does nothing without them; who reads serves what is not sealed, or was opened.
    """
    try:
        await ring.check()
    except KeysUnavailable as error:
        return Check(ok=not vital, degraded=not vital, detail=str(error))
    if ring.asked_in_vain is not None:
        without = "the key store never had it" if ring.seals else "no key store is configured"
        return Check(ok=True, degraded=True, detail=f"key {ring.asked_in_vain} is wanted, and {without}")
    return Check(ok=True, detail=None if ring.seals else "nothing is sealed")
