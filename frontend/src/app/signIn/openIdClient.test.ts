import { webcrypto } from "node:crypto";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { server } from "@/testing/server";
import { unsignedToken } from "@/testing/session";
import type { IdentityClient } from "./identity";
import { openIdClient } from "./openIdClient";

/* The rules of the specification's sections 4, 5, 8 and 9, against a provider in this page. */

const PROVIDER = "https://id.example";
const ISSUER = `${PROVIDER}/realms/fleet`;
const ORIGIN = window.location.origin;
/** Cookie of a sign-in in progress. */
const TRANSACTION = /fleetlog\.transaction/;
const registration = { clientId: "fleetlog-web", audience: "https://api.fleetlog.example" };

/** A client of a provider of OpenID Connect. */
const create = (open?: (url: string) => void, scope?: string) =>
  openIdClient({ ...registration, issuer: ISSUER, ...(scope && { scope }) }, open);

/** What a popup or hidden frame does with the answer. */
const deliver = (answer: URLSearchParams) => {
  const channel = new BroadcastChannel("fleetlog-signed-in");
  channel.postMessage(answer.toString());
  channel.close();
};

const now = () => Math.floor(Date.now() / 1000);
let delivered: typeof deliver;
/** Changes of what the provider sends. */
let claims: Record<string, unknown>;
let tokens: Record<string, unknown>;
let metadata: Record<string, unknown>;
/** Of ID tokens. */
let algorithm: string;
let refusal: string | null;
/** What requests of the token endpoint meet before they succeed. */
let failures: (() => Response)[];
let asked: URLSearchParams[];
let exchanged: Record<string, string>[];
let frames: MutationObserver;

/** Answer an authorization request as a provider whose user has a session. */
function answerTo(url: string): URLSearchParams {
  const { origin, pathname, searchParams } = new URL(url);
  expect([`${ISSUER}/auth`, `${PROVIDER}/authorize`]).toContain(origin + pathname);
  asked.push(searchParams);
  const state = searchParams.get("state") ?? "";
  if (refusal) return new URLSearchParams({ error: refusal, error_description: "Refused here", state });
  return new URLSearchParams({ code: `code-${asked.length}`, state });
}

async function token({ request }: { request: Request }): Promise<Response> {
  const form = Object.fromEntries(new URLSearchParams(await request.text()));
  exchanged.push(form);
  const failure = failures.shift();
  if (failure) return failure();
  const request_ = asked.at(-1);
  if (form.grant_type === "authorization_code") {
    const hash = await webcrypto.subtle.digest("SHA-256", new TextEncoder().encode(form.code_verifier));
    expect(Buffer.from(hash).toString("base64url")).toBe(request_?.get("code_challenge"));
    expect(form.redirect_uri).toBe(request_?.get("redirect_uri"));
  }
  const nonce = form.grant_type === "authorization_code" ? { nonce: request_?.get("nonce") } : {};
  const own = {
    iss: ISSUER,
    aud: "fleetlog-web",
    sub: "asha",
    name: "Asha Menon",
    iat: now(),
    exp: now() + 600,
  };
  return HttpResponse.json({
    token_type: "Bearer",
    expires_in: 600,
    scope: "openid profile email offline_access",
    access_token: `access-${exchanged.length}`,
    refresh_token: `refresh-${exchanged.length}`,
    id_token: unsignedToken({ ...own, ...nonce, ...claims }, algorithm),
    ...tokens,
  });
}

/** A popup that signs in, unless `isIdle`. */
function stubPopup(isIdle = false) {
  const popup = {
    closed: false,
    close: vi.fn(),
    location: {
      set href(url: string) {
        const answer = answerTo(url);
        if (!isIdle) setTimeout(() => delivered(answer));
      },
    },
  };
  const open = vi.fn(() => popup);
  vi.stubGlobal("open", open);
  return { popup, open };
}

async function signedIn(): Promise<IdentityClient> {
  stubPopup();
  const client = create();
  await client.signInByPopup();
  return client;
}

beforeEach(() => {
  [claims, tokens, metadata, algorithm] = [{}, {}, {}, "RS256"];
  [refusal, failures, asked, exchanged] = [null, [], [], []];
  delivered = deliver;
  vi.stubGlobal("crypto", webcrypto);
  const request = async (_: string, __: object, run: (lock: object) => Promise<unknown>) => run({});
  Object.defineProperty(navigator, "locks", { value: { request: vi.fn(request) }, configurable: true });
  server.use(
    http.get(`${ISSUER}/.well-known/openid-configuration`, () =>
      HttpResponse.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/auth`,
        token_endpoint: `${ISSUER}/token`,
        end_session_endpoint: `${ISSUER}/logout`,
        ...metadata,
      }),
    ),
    http.post(`${ISSUER}/token`, token),
    http.post(`${PROVIDER}/oauth/token`, token),
  );
  frames = new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node instanceof HTMLIFrameElement) delivered(answerTo(node.src));
    }
  });
  frames.observe(document.body, { childList: true });
});

afterEach(() => {
  frames.disconnect();
  Reflect.deleteProperty(navigator, "locks");
  window.history.replaceState(null, "", "/");
  for (const cookie of document.cookie.split("; ")) {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
    document.cookie = `${cookie.split("=")[0]}=; Path=/; Max-Age=0`;
  }
});

/** Begin by redirect, and load the page again with the answer. */
async function byRedirect(changed: Record<string, string> = {}): Promise<IdentityClient> {
  let url = "";
  await create((address) => {
    url = address;
  }).signInByRedirect("/management?x=1#cards");
  const answer = answerTo(url);
  for (const [name, value] of Object.entries(changed)) answer.set(name, value);
  window.history.replaceState(null, "", `/?${answer}`);
  return create();
}

test("a sign-in by redirect has PKCE, state and nonce, and returns to its path", async () => {
  const client = await byRedirect();
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
    client_id: "fleetlog-web",
    audience: registration.audience,
    redirect_uri: ORIGIN,
    response_type: "code",
    scope: "openid profile email offline_access",
    code_challenge_method: "S256",
    state: expect.stringMatching(/.{32}/),
    nonce: expect.stringMatching(/.{32}/),
  });
  expect(document.cookie).toMatch(TRANSACTION);
  expect(await client.finishRedirect()).toBe("/management?x=1#cards");
  expect(document.cookie).not.toMatch(TRANSACTION);
  expect(await client.user()).toMatchObject({ sub: "asha", name: "Asha Menon" });
  expect(await client.accessToken(false)).toBe("access-1");
  expect(exchanged).toHaveLength(1);
  // Refresh tokens are in memory only.
  expect(JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie).not.toContain(
    "refresh-",
  );
});

test("an answer with another state, or that was used, is refused", async () => {
  const client = await byRedirect({ state: "another" });
  await expect(client.finishRedirect()).rejects.toThrow("Invalid state");
  const next = await byRedirect();
  await next.finishRedirect();
  await expect(create().finishRedirect()).rejects.toThrow("Invalid state");
  expect(exchanged).toHaveLength(1);
});

test("a refusal has the provider's code and words", async () => {
  refusal = "access_denied";
  const client = await byRedirect();
  await expect(client.finishRedirect()).rejects.toMatchObject({
    error: "access_denied",
    message: "Refused here",
  });
});

test("an address without an answer is an error", async () => {
  await expect(create().finishRedirect()).rejects.toThrow("There are no query params available for parsing.");
});

test.each([
  ["another issuer", { iss: "https://other.example/" }],
  ["another audience", { aud: "other" }],
  ["several audiences without azp", { aud: ["fleetlog-web", "other"] }],
  ["several audiences, for another", { aud: ["fleetlog-web", "other"], azp: "other" }],
  ["another nonce", { nonce: "other" }],
  ["no subject", { sub: undefined }],
  ["an end more than a minute ago", { exp: now() - 100 }],
  ["no end", { exp: undefined }],
  ["no issue time", { iat: undefined }],
])("an ID token with %s is refused", async (__, wrong) => {
  claims = wrong;
  const client = await byRedirect();
  await expect(client.finishRedirect()).rejects.toThrow();
  expect(await client.user()).toBeUndefined();
});

test("an ID token with another algorithm is refused", async () => {
  algorithm = "none";
  const client = await byRedirect();
  await expect(client.finishRedirect()).rejects.toThrow(/alg/i);
  expect(await client.user()).toBeUndefined();
});

test("an ID token may have ended within the last minute, and name other audiences", async () => {
  claims = { exp: now() - 30, aud: ["other", "fleetlog-web"], azp: "fleetlog-web" };
  await (await byRedirect()).finishRedirect();
});

test("without an earlier session, nothing is requested at the start", async () => {
  const client = create();
  await client.restoreSession();
  expect(await client.user()).toBeUndefined();
  expect(asked).toEqual([]);
});

test("after a reload, a hidden frame restores the session", async () => {
  await signedIn();
  const client = create();
  await client.restoreSession();
  expect(await client.user()).toMatchObject({ sub: "asha" });
  const returnsTo = `${ORIGIN}/signed-in.html`;
  expect(Object.fromEntries(asked[1] ?? [])).toMatchObject({ prompt: "none", redirect_uri: returnsTo });
});

test("a session that the provider does not know ends here", async () => {
  await signedIn();
  refusal = "login_required";
  const client = create();
  await client.restoreSession();
  expect(await client.user()).toBeUndefined();
  await create().restoreSession();
  expect(asked).toHaveLength(2); // the second start did not ask
  await expect(client.accessToken(true)).rejects.toMatchObject({ error: "login_required" });
});

test("a token is cached until a minute before its end", async () => {
  const client = await signedIn();
  expect(await client.accessToken(false)).toBe("access-1");
  tokens = { expires_in: 59 };
  expect(await client.accessToken(true)).toBe("access-2");
  expect(await client.accessToken(false)).toBe("access-3");
  expect(exchanged.slice(1)).toMatchObject([
    { grant_type: "refresh_token", refresh_token: "refresh-1" },
    { grant_type: "refresh_token", refresh_token: "refresh-2" },
  ]);
});

test("a hidden frame follows a refresh token that is refused", async () => {
  const client = await signedIn();
  const error_description = "Unknown or invalid refresh token.";
  failures = [() => HttpResponse.json({ error: "invalid_grant", error_description }, { status: 403 })];
  expect(await client.accessToken(true)).toBe("access-3");
  expect(asked[1]?.get("prompt")).toBe("none");
});

test("a token request is sent three times while the network fails", async () => {
  const client = await signedIn();
  const fail = () => HttpResponse.error();
  failures = [fail, fail];
  expect(await client.accessToken(true)).toBe("access-4");
  failures = [fail, fail, fail, fail];
  await expect(client.accessToken(true)).rejects.toThrow();
  expect(failures).toHaveLength(1);
  expect(await client.user()).toMatchObject({ sub: "asha" });
});

test("a popup of 400 by 600 signs in", async () => {
  const { popup, open } = stubPopup();
  const client = create();
  await client.signInByPopup();
  expect(open).toHaveBeenCalledWith("", expect.any(String), expect.stringContaining("width=400,height=600"));
  expect(await client.user()).toMatchObject({ sub: "asha" });
  expect(popup.close).toHaveBeenCalled();
});

test("a popup that the browser blocks is an error", async () => {
  vi.stubGlobal("open", () => null);
  await expect(create().signInByPopup()).rejects.toThrow("Unable to open a popup for loginWithPopup");
});

test.each([
  ["closed", { error: "cancelled", message: "Popup closed" }],
  ["left open for a minute", { error: "timeout", message: "Timeout" }],
])("a popup that is %s is an error", async (what, expected) => {
  const { popup } = stubPopup(true);
  vi.useFakeTimers();
  const failed = expect(create().signInByPopup()).rejects.toMatchObject(expected);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  popup.closed = what === "closed";
  await vi.advanceTimersByTimeAsync(popup.closed ? 2_000 : 61_000);
  await failed;
});

test("signing out forgets the session here, and ends it at the provider", async () => {
  let left = "";
  await signedIn();
  const client = create((url) => {
    left = url;
  });
  await client.restoreSession();
  await client.signOut();
  expect(await client.user()).toBeUndefined();
  const { origin, pathname, searchParams } = new URL(left);
  expect(origin + pathname).toBe(`${ISSUER}/logout`);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: "fleetlog-web",
    id_token_hint: expect.stringMatching(/^.+\..+\..+$/),
    post_logout_redirect_uri: ORIGIN,
  });
  await create().restoreSession();
  expect(asked).toHaveLength(2);
});

test("Auth0 has paths of its own, without discovery, and a parameter to return by", async () => {
  const opened: string[] = [];
  claims = { iss: `${PROVIDER}/` };
  const client = openIdClient({ ...registration, domain: PROVIDER }, (url) => opened.push(url));
  await client.signInByRedirect("/management");
  window.history.replaceState(null, "", `/?${answerTo(opened[0] ?? "")}`);
  expect(await client.finishRedirect()).toBe("/management");
  await client.signOut();
  expect(opened.map((url) => url.split("?")[0])).toEqual([`${PROVIDER}/authorize`, `${PROVIDER}/v2/logout`]);
  const sent = Object.fromEntries(new URL(opened[1] ?? "").searchParams);
  expect(sent).toMatchObject({ client_id: "fleetlog-web", returnTo: ORIGIN });
});

test.each([
  [["openid", "email"], "openid profile email api://fleetlog/use"],
  [["openid", "offline_access"], "openid profile email offline_access api://fleetlog/use"],
])("a provider of the scopes %o is asked for %s", async (scopes_supported, expected) => {
  metadata = { scopes_supported };
  await create(answerTo, "api://fleetlog/use").signInByRedirect("/");
  expect(asked[0]?.get("scope")).toBe(expected);
});

test("Keycloak is not asked for an offline session, which a sign-out would not end", async () => {
  metadata = { token_endpoint: `${ISSUER}/protocol/openid-connect/token` };
  await create(answerTo).signInByRedirect("/");
  expect(asked[0]?.get("scope")).toBe("openid profile email");
});

test("a provider that calls itself otherwise is refused, until it does not", async () => {
  metadata = { issuer: `${ISSUER}/` };
  const client = create();
  stubPopup();
  await expect(client.signInByPopup()).rejects.toThrow(`calls itself ${ISSUER}/, not ${ISSUER}`);
  metadata = {};
  await client.signInByPopup();
});

test("an answer of another issuer is refused", async () => {
  delivered = (answer) => deliver(new URLSearchParams([...answer, ["iss", PROVIDER]]));
  stubPopup();
  await expect(create().signInByPopup()).rejects.toThrow("Invalid state");
  expect(exchanged).toEqual([]);
});

test("answers to others are ignored", async () => {
  delivered = (answer) => {
    deliver(new URLSearchParams({ code: "other", state: "other" }));
    deliver(answer);
  };
  await signedIn();
  expect(exchanged).toMatchObject([{ code: "code-1" }]);
});

test("a renewal keeps the refresh token and the user that the provider does not send again", async () => {
  const client = await signedIn();
  tokens = { refresh_token: undefined, id_token: undefined };
  await client.accessToken(true);
  await client.accessToken(true);
  expect(exchanged.slice(1)).toMatchObject([{ refresh_token: "refresh-1" }, { refresh_token: "refresh-1" }]);
  expect(await client.user()).toMatchObject({ sub: "asha" });
});

test("a renewal for another user is refused", async () => {
  const client = await signedIn();
  claims = { sub: "rohan" };
  await expect(client.accessToken(true)).rejects.toThrow("sub");
  expect(await client.user()).toMatchObject({ sub: "asha" });
});

test("a provider without an end of sessions is left by the origin", async () => {
  metadata = { end_session_endpoint: undefined };
  vi.spyOn(console, "error").mockImplementation(() => {});
  const open = vi.fn();
  await create(open).signOut();
  expect(open).toHaveBeenCalledExactlyOnceWith(ORIGIN);
});

test("a lock that another tab keeps is requested ten times", async () => {
  const client = await signedIn();
  const request = vi.mocked(navigator.locks.request);
  request.mockRejectedValue(new DOMException("", "TimeoutError"));
  await expect(client.accessToken(true)).rejects.toMatchObject({ error: "timeout", message: "Timeout" });
  expect(request).toHaveBeenCalledTimes(10);
});
