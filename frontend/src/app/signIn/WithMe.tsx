import { Button } from "@blueprintjs/core";
import { type ReactNode, useEffect } from "react";
import useSWR from "swr";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { type Me, MeContext } from "@/shared/auth/permissions";
import { onPermissionRefused, renewAccessToken } from "@/shared/auth/session";
import { GateCard, LoadingCard } from "./GateCard";

/**
 * Permissions come with the access token, and change with it alone. Whatever is in the way of them may pass: in the
 * middle of an upgrade, say, a server that does not know this path yet.
 */
const ONCE_PER_TOKEN = {
  refreshInterval: 0,
  revalidateOnFocus: false,
  keepPreviousData: true,
  shouldRetryOnError: true,
};

/**
 * Asks the API what the user may do before any screen is shown, and again for each new access token and when
 * the API refuses something. Meanwhile what is known holds.
 */
export function WithMe({ children }: { children: ReactNode }) {
  const accessToken = useAuthStore((state) => state.accessToken);
  const { data, error, isValidating, mutate } = useSWR<ApiResponse<Me>>(
    accessToken === null ? null : ["/api/v1/me", accessToken],
    ([path]: [string]) => apiClient.get<Me>(path),
    ONCE_PER_TOKEN,
  );
  useEffect(() => onPermissionRefused(() => void mutate()), [mutate]);

  if (data !== undefined) return <MeContext value={data.data}>{children}</MeContext>;
  if (accessToken !== null && error === undefined) return <LoadingCard />;
  return (
    <GateCard title="Your permissions could not be loaded">
      <p role="alert">What you may do here is not known yet. The next attempt comes by itself.</p>
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
