import { Auth0Provider, type Auth0ProviderOptions } from "@auth0/auth0-react";
import type { ReactNode } from "react";
import { runtimeConfig } from "@/shared/config/runtime";
import { SessionKeeper } from "./SessionKeeper";

interface SignInProviderProps {
  /** Navigates to the path where the sign-in began. */
  onReturn: (path: string) => void;
  /** Replaces the identity SDK in tests. */
  client?: Auth0ProviderOptions["client"];
  children: ReactNode;
}

export function SignInProvider({ onReturn, client, children }: SignInProviderProps) {
  const options: Auth0ProviderOptions = client ? { client } : sdkOptions();
  return (
    <Auth0Provider {...options} onRedirectCallback={(appState) => onReturn(appState?.returnTo ?? "/")}>
      <SessionKeeper>{children}</SessionKeeper>
    </Auth0Provider>
  );
}

function sdkOptions(): Auth0ProviderOptions {
  const { domain, clientId, audience } = runtimeConfig().auth;
  return {
    domain,
    clientId,
    authorizationParams: {
      redirect_uri: window.location.origin,
      audience,
      scope: "openid profile email", // offline_access is added by useRefreshTokens
    },
    useRefreshTokens: true,
    useRefreshTokensFallback: true,
    // Refresh tokens are not stored; after a reload the hidden frame restores the session.
    cacheLocation: "memory",
    leeway: 60,
    httpTimeoutInSeconds: 10,
    // Session and transaction cookies last one day (spec, section 9).
    sessionCheckExpiryDays: 1,
    useCookiesForTransactions: true,
  };
}
