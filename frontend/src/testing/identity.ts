import type { Auth0ProviderOptions } from "@auth0/auth0-react";
import { vi } from "vitest";
import { tokenExpiringIn } from "./session";

export const asha = { sub: "dev|asha", name: "Asha Menon", email: "asha.menon@fleetlog.example" };

type User = typeof asha;

/** A mock of the identity SDK with a given session. */
export function fakeIdentity(session: User | null = null) {
  let user: User | undefined = session ?? undefined;
  const client = {
    checkSession: vi.fn(async () => {}),
    handleRedirectCallback: vi.fn(async (): Promise<{ appState: { returnTo?: string } }> => {
      user = asha;
      return { appState: { returnTo: "/management?x=1" } };
    }),
    getUser: vi.fn(async () => user),
    getTokenSilently: vi.fn(async () => tokenExpiringIn(3600)),
    getIdTokenClaims: vi.fn(async () => (user ? { ...user, __raw: "id-token" } : undefined)),
    loginWithRedirect: vi.fn(async () => {}),
    loginWithPopup: vi.fn(async () => {
      user = asha;
    }),
    logout: vi.fn(async () => {
      user = undefined;
    }),
  };
  return Object.assign(client, {
    asClient: client as unknown as NonNullable<Auth0ProviderOptions["client"]>,
    /** End the session at the identity provider. */
    endSession: () => {
      user = undefined;
      client.getTokenSilently.mockRejectedValue({
        error: "login_required",
        error_description: "Login required",
      });
    },
  });
}
