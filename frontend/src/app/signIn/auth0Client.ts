import { Auth0Client } from "@auth0/auth0-spa-js";
import type { Auth0Config } from "@/shared/config/runtime";
import { type IdentityClient, LEEWAY, SCOPE, TIMEOUT } from "./identity";

/** Signs in with Auth0, or a provider with its paths. */
export function auth0Client(
  { domain, clientId, audience }: Auth0Config,
  open?: (url: string) => void,
): IdentityClient {
  const origin = window.location.origin;
  const sdk = new Auth0Client({
    domain,
    clientId,
    authorizationParams: {
      redirect_uri: origin,
      audience,
      scope: SCOPE, // offline_access is added by useRefreshTokens
    },
    useRefreshTokens: true,
    useRefreshTokensFallback: true,
    // Refresh tokens are not stored; after a reload the hidden frame restores the session.
    cacheLocation: "memory",
    leeway: LEEWAY,
    httpTimeoutInSeconds: TIMEOUT,
    // Session and transaction cookies last one day (spec, section 9).
    sessionCheckExpiryDays: 1,
    useCookiesForTransactions: true,
  });
  const opening = open && { openUrl: open };
  return {
    restoreSession: () => sdk.checkSession(),
    finishRedirect: async () => {
      const { appState } = await sdk.handleRedirectCallback<{ returnTo?: string }>();
      return appState?.returnTo;
    },
    user: async () => {
      const claims = await sdk.getIdTokenClaims();
      if (!claims) return undefined;
      const { sub, name, email, picture, __raw: idToken } = claims;
      return { sub, name, email, picture, idToken };
    },
    accessToken: (isRenewed) => sdk.getTokenSilently({ cacheMode: isRenewed ? "off" : "on" }),
    signInByRedirect: (returnTo) => sdk.loginWithRedirect({ appState: { returnTo }, ...opening }),
    signInByPopup: () => sdk.loginWithPopup(),
    forget: () => sdk.logout({ openUrl: false }),
    signOut: () => sdk.logout({ logoutParams: { returnTo: origin }, ...opening }),
  };
}
