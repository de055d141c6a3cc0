import { Auth0Provider, type Auth0ProviderOptions } from "@auth0/auth0-react";
import type { ReactNode } from "react";
import { runtimeConfig } from "@/shared/config/runtime";
import { SessionKeeper } from "./SessionKeeper";

interface SignInProviderProps {
  /** Brings the user back to the path where the sign-in began. */
  onReturn: (path: string) => void;
  /** Stands in for the identity SDK in tests. */
  client?: Auth0ProviderOptions["client"];
  children: ReactNode;
}

/** The identity SDK with the product's settings, and what keeps its session and ours in step. */
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
    // Refresh tokens never reach the disk; after a reload the hidden frame finds the session again.
    cacheLocation: "memory",
    leeway: 60,
    httpTimeoutInSeconds: 10,
    // Of one day, both cookies (product.md: constants): the session's, and the login transaction's.
    sessionCheckExpiryDays: 1,
    useCookiesForTransactions: true,
  };
}
