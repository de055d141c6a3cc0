import { useSWRConfig } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";

/**
 * Return whether a path may be queried: an access token exists, or the answer is cached. Cached answers stay when a
 * session ends, so that open screens keep what the user has typed.
 */
export function useMayAsk(path: string | null): boolean {
  const hasToken = useAuthStore((state) => state.accessToken !== null);
  const { cache } = useSWRConfig();
  return hasToken || (path !== null && cache.get(path)?.data !== undefined);
}
