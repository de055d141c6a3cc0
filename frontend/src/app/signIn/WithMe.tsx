import { Button } from "@blueprintjs/core";
import { type ReactNode, useEffect, useState } from "react";
import useSWR from "swr";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { type Me, MeContext } from "@/shared/auth/permissions";
import { onPermissionRefused, renewAccessToken } from "@/shared/auth/session";
import { GateCard, LoadingCard } from "./GateCard";

/**
 * Permissions change only with the access token. Errors are retried, because they may be temporary, e.g. an old server during
 * an upgrade.
 */
const ONCE_PER_TOKEN = {
  refreshInterval: 0,
  revalidateOnFocus: false,
  keepPreviousData: true,
  shouldRetryOnError: true,
};

/**
 * Loads the user's permissions before any screen is shown, and again for each new access token and after a refusal by the
 * API. Meanwhile the former permissions apply, after a reload too.
 */
export function WithMe({ children }: { children: ReactNode }) {
  const accessToken = useAuthStore((state) => state.accessToken);
  const key = `me:${useAuthStore(({ user }) => user?.sub)}`;
  // Over a slow connection, a reload need not wait for the answer.
  const [before] = useState((): Me | null => {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? "null");
    } catch {
      return null; // The browser refuses storage.
    }
  });
  const { data, error, isValidating, mutate } = useSWR<ApiResponse<Me>>(
    accessToken === null ? null : ["/api/v1/me", accessToken],
    ([path]: [string]) => apiClient.get<Me>(path),
    ONCE_PER_TOKEN,
  );
  useEffect(() => onPermissionRefused(() => void mutate()), [mutate]);

  useEffect(() => {
    try {
      if (data !== undefined) sessionStorage.setItem(key, JSON.stringify(data.data));
    } catch {
      // A reload waits for the answer.
    }
  }, [key, data]);

  const isAwaited = accessToken !== null && error === undefined;
  const me = data?.data ?? (isAwaited ? before : null);
  if (me !== null) return <MeContext value={me}>{children}</MeContext>;
  if (isAwaited) return <LoadingCard />;
  return (
    <GateCard title="Your permissions could not be loaded">
      <p role="alert">Your permissions are not known yet. Retrying automatically.</p>
      <Button
        intent="primary"
        fill
        size="large"
        text="Try Again"
        aria-busy={isValidating}
        onClick={() => void (accessToken === null ? renewAccessToken() : mutate())}
      />
    </GateCard>
  );
}
