import { useSWRConfig } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";

/**
 * Whether a path of the API may be a screen's key: not before there is an access token. What it has answered
 * stays without one, so that a session that ends takes nothing off the screens, and with it what is being typed.
 */
export function useMayAsk(path: string | null): boolean {
  const hasToken = useAuthStore((state) => state.accessToken !== null);
  const { cache } = useSWRConfig();
  return hasToken || (path !== null && cache.get(path)?.data !== undefined);
}
