import {
  ErrorTimeout,
  type IdTokenClaims,
  InMemoryWebStorage,
  MetadataService,
  OidcClient,
  OidcClientSettingsStore,
  type OidcMetadata,
  type SigninResponse,
  type StateStore,
  WebStorageStateStore,
} from "oidc-client-ts";
import type { RuntimeConfig } from "@/shared/config/runtime";
import { type IdentityClient, IdentityError, LEEWAY, SCOPE, TIMEOUT } from "./identity";

/** Receives answers in popups and hidden frames (`public/signed-in.html`). */
const RETURN_PAGE = "/signed-in.html";
const RETURNS = "fleetlog-signed-in";
const POPUP_TIMEOUT = 60;
const DAY = 86_400;
const ATTEMPTS = 3;
const LOCK_TIMEOUT = 5_000;
const LOCK_ATTEMPTS = 10;

/**
 * Signs in with any provider of OpenID Connect, whose endpoints discovery names, or which has Auth0's paths. Tokens stay
 * in memory; after a reload, a hidden frame restores the session.
 */
export function openIdClient(
  auth: RuntimeConfig["auth"],
  open: (url: string) => void = (url) => window.location.assign(url),
): IdentityClient {
  const { clientId, audience, scope } = auth;
  const known = auth.issuer === undefined ? auth0Metadata(auth.domain) : undefined;
  const issuer = auth.issuer ?? auth0Metadata(auth.domain).issuer;
  const origin = window.location.origin;
  let session: SigninResponse | undefined;
  let discovered: ReturnType<typeof discover> | undefined;

  async function discover() {
    const settings = {
      authority: issuer,
      client_id: clientId,
      redirect_uri: origin,
      post_logout_redirect_uri: origin,
      requestTimeoutInSeconds: TIMEOUT,
      staleStateAgeInSeconds: DAY,
      filterProtocolClaims: false, // They are validated here.
      extraQueryParams: { audience },
    };
    const service = new MetadataService(new OidcClientSettingsStore(settings));
    const metadata: Partial<OidcMetadata> = known ?? (await retried(() => service.getMetadata()));
    if (metadata.issuer !== issuer)
      throw new Error(`The identity provider calls itself ${metadata.issuer}, not ${issuer}.`);
    // Keycloak gives refresh tokens without it; an offline session would outlive the sign-out, with its access tokens.
    const isKeycloak = metadata.token_endpoint?.endsWith("/protocol/openid-connect/token");
    const isOffline = !isKeycloak && (metadata.scopes_supported?.includes("offline_access") ?? true);
    const all = {
      ...settings,
      metadata,
      scope: [SCOPE, isOffline && "offline_access", scope].filter(Boolean).join(" "),
    };
    const memory = new WebStorageStateStore({ store: new InMemoryWebStorage() });
    return {
      byRedirect: new OidcClient({ ...all, stateStore: transactionCookie }),
      inPage: new OidcClient({ ...all, stateStore: memory, redirect_uri: origin + RETURN_PAGE }),
    };
  }

  function clients() {
    discovered ??= discover().catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  /** Exchange the code of an answer for tokens. Returns the path where the sign-in began. */
  async function finish(client: OidcClient, query: string): Promise<string | undefined> {
    const url = `${origin}/?${query}`;
    const { state } = await client.readSigninResponseState(url).catch(() => {
      throw new IdentityError("state_mismatch", "Invalid state");
    });
    const from = new URLSearchParams(query).get("iss"); // RFC 9207
    if (from !== null && from !== issuer) throw new IdentityError("state_mismatch", "Invalid state");
    try {
      const response = await retried(() => client.processSigninResponse(url, undefined, false));
      accept(response);
      return response.userState as string | undefined;
    } finally {
      await client.settings.stateStore.remove(state.id);
    }
  }

  function accept(response: SigninResponse): void {
    if (!response.id_token) throw new Error("The identity provider sent no ID token.");
    if (response.id_token !== session?.id_token)
      validate(response.id_token, response.profile as IdTokenClaims, issuer, clientId);
    session = response;
    setCookie(SESSION, "true", DAY);
  }

  async function refresh(old: SigninResponse, refreshToken: string): Promise<void> {
    const { inPage } = await clients();
    const profile = old.profile as IdTokenClaims;
    const state = { ...old, refresh_token: refreshToken, profile };
    const response = await retried(() => inPage.useRefreshToken({ state, timeoutInSeconds: TIMEOUT }));
    response.refresh_token ??= refreshToken;
    accept(response);
  }

  async function signInByFrame(): Promise<void> {
    const { inPage } = await clients();
    const { url, state } = await inPage.createSigninRequest({ prompt: "none", nonce: nonce() });
    const frame = Object.assign(document.createElement("iframe"), { hidden: true, src: url });
    const answer = answerTo(state.id, TIMEOUT);
    document.body.append(frame);
    try {
      await finish(inPage, await answer);
    } finally {
      frame.remove();
    }
  }

  async function renew(): Promise<void> {
    if (session?.refresh_token) {
      try {
        await refresh(session, session.refresh_token);
        return;
      } catch (error) {
        if (!isCode(error, "invalid_grant")) throw error;
        session.refresh_token = undefined;
      }
    }
    await signInByFrame();
  }

  async function accessToken(isRenewed: boolean): Promise<string> {
    const isUsable = () => (session?.expires_at ?? 0) - LEEWAY > Date.now() / 1000;
    try {
      if (isRenewed || !isUsable())
        await locked(async () => (isRenewed || !isUsable() ? renew() : undefined));
    } catch (error) {
      if (isCode(error, "login_required")) await forget();
      throw error;
    }
    return session?.access_token ?? "";
  }

  async function forget(): Promise<void> {
    session = undefined;
    setCookie(SESSION, "", 0);
  }

  return {
    restoreSession: async () => {
      if (cookie(SESSION) !== null) await accessToken(false).catch(() => {});
    },
    finishRedirect: async () => {
      const query = window.location.search.slice(1);
      if (!query) throw new Error("There are no query params available for parsing.");
      return finish((await clients()).byRedirect, query);
    },
    user: async () => {
      if (!session?.id_token) return undefined;
      const { sub, name, email, picture } = session.profile as IdTokenClaims;
      return { sub, name, email, picture, idToken: session.id_token };
    },
    accessToken,
    signInByRedirect: async (returnTo) => {
      const { byRedirect } = await clients();
      const { url } = await byRedirect.createSigninRequest({ state: returnTo, nonce: nonce() });
      open(url);
    },
    signInByPopup: async () => {
      const popup = openPopup(); // Before anything is awaited, or browsers block it.
      try {
        const { inPage } = await clients();
        const { url, state } = await inPage.createSigninRequest({ nonce: nonce() });
        const answer = answerTo(state.id, POPUP_TIMEOUT, popup);
        popup.location.href = url;
        await finish(inPage, await answer);
      } finally {
        popup.close();
      }
    },
    forget,
    signOut: async () => {
      const idToken = session?.id_token;
      await forget();
      let url = origin;
      try {
        const { byRedirect } = await clients();
        // Auth0 ignores OpenID Connect's parameters at this address.
        const extraQueryParams: Record<string, string> = known ? { returnTo: origin } : {};
        const hints = { client_id: clientId, ...(idToken && { id_token_hint: idToken }) };
        url = (await byRedirect.createSignoutRequest({ ...hints, extraQueryParams })).url;
      } catch (error) {
        console.error("The session at the identity provider could not be ended.", error);
      }
      open(url);
    },
  };
}

/** The endpoints at Auth0's paths. */
function auth0Metadata(domain: string) {
  const issuer = `${/^https?:/.test(domain) ? "" : "https://"}${domain}/`;
  return {
    issuer,
    authorization_endpoint: `${issuer}authorize`,
    token_endpoint: `${issuer}oauth/token`,
    end_session_endpoint: `${issuer}v2/logout`,
  };
}

/**
 * Validate an ID token's algorithm and claims (OpenID Connect Core 1.0, section 3.1.3.7). The library checks subject and nonce. The token
 * came from the token endpoint over TLS, which stands in for its signature.
 */
function validate(
  idToken: string,
  { iss, aud, azp, exp, iat, nbf }: IdTokenClaims,
  issuer: string,
  clientId: string,
): void {
  const [header = ""] = idToken.split(".");
  const now = Date.now() / 1000;
  const audiences = [aud].flat();
  const rules = {
    alg: JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/"))).alg === "RS256",
    iss: iss === issuer,
    aud: audiences.includes(clientId),
    azp: azp === undefined ? audiences.length === 1 : azp === clientId,
    exp: Number.isFinite(exp) && now < exp + LEEWAY,
    iat: Number.isFinite(iat) && iat < now + LEEWAY,
    nbf: nbf === undefined || nbf < now + LEEWAY,
  };
  const broken = Object.entries(rules).find(([, isKept]) => !isKept);
  if (broken) throw new Error(`The ID token is not valid: ${broken[0]}.`);
}

function nonce(): string {
  return crypto.randomUUID();
}

function openPopup(): Window {
  const left = window.screenX + (window.innerWidth - 400) / 2;
  const top = window.screenY + (window.innerHeight - 600) / 2;
  const features = `left=${left},top=${top},width=400,height=600,resizable,scrollbars=yes,status=1`;
  const popup = window.open("", "fleetlog-sign-in", features);
  if (popup) return popup;
  throw new IdentityError(
    "popup_open",
    "Unable to open a popup for loginWithPopup - window.open returned `null`",
  );
}

/** Wait for the query string that the return page receives. */
async function answerTo(state: string, seconds: number, popup?: Window): Promise<string> {
  const channel = new BroadcastChannel(RETURNS);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let watch: ReturnType<typeof setInterval> | undefined;
  try {
    return await new Promise((resolve, reject) => {
      channel.onmessage = ({ data }) => {
        if (new URLSearchParams(data).get("state") === state) resolve(data);
      };
      timer = setTimeout(() => reject(new IdentityError("timeout", "Timeout")), seconds * 1000);
      watch = setInterval(() => {
        if (popup?.closed) reject(new IdentityError("cancelled", "Popup closed"));
      }, 1000);
    });
  } finally {
    channel.close();
    clearTimeout(timer);
    clearInterval(watch);
  }
}

/** Repeat a request that fails in the network. */
async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      const isTimeout = error instanceof ErrorTimeout;
      if (!isTimeout && !(error instanceof TypeError)) throw error;
      if (attempt < ATTEMPTS) continue;
      throw isTimeout ? new IdentityError("timeout", "Timeout") : error;
    }
  }
}

/** Run in one tab at a time, because a refresh token may be used once. */
async function locked<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const signal = AbortSignal.timeout(LOCK_TIMEOUT);
      return await navigator.locks.request("fleetlog-sign-in", { signal }, run);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "TimeoutError")) throw error;
      if (attempt === LOCK_ATTEMPTS) throw new IdentityError("timeout", "Timeout");
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "error" in error && error.error === code;
}

const SESSION = "fleetlog.is.authenticated";
const TRANSACTION = "fleetlog.transaction";

/** The one sign-in by redirect that has begun; its answer must have its state. */
const transactionCookie: StateStore = {
  set: async (id, value) => setCookie(TRANSACTION, `${id} ${value}`, DAY),
  get: async (id) => {
    const stored = cookie(TRANSACTION);
    return stored?.startsWith(`${id} `) ? stored.slice(id.length + 1) : null;
  },
  remove: async (id) => {
    const value = await transactionCookie.get(id);
    if (value !== null) setCookie(TRANSACTION, "", 0);
    return value;
  },
  getAllKeys: async () => [], // The cookie ends by itself.
};

function cookie(name: string): string | null {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : null;
}

function setCookie(name: string, value: string, seconds: number): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
}
