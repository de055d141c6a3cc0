import { vi } from "vitest";
import type { IdentityUser } from "@/app/signIn/identity";
import { tokenExpiringIn } from "./session";

export const asha = { sub: "dev|asha", name: "Asha Menon", email: "asha.menon@fleetlog.example" };

/** A mock of an identity client with a given session. */
export function fakeIdentity(session: typeof asha | null = null) {
  let user: IdentityUser | undefined;
  const start = (who: typeof asha) => {
    user = { ...who, idToken: "id-token" };
  };
  const end = async () => {
    user = undefined;
  };
  if (session) start(session);
  const client = {
    restoreSession: vi.fn(async () => {}),
    finishRedirect: vi.fn(async () => {
      start(asha);
      return "/management?x=1";
    }),
    user: vi.fn(async () => user),
    accessToken: vi.fn(async () => tokenExpiringIn(3600)),
    signInByRedirect: vi.fn(async () => {}),
    signInByPopup: vi.fn(async () => start(asha)),
    forget: vi.fn(end),
    signOut: vi.fn(end),
    /** End the session at the identity provider. */
    endSession: () => {
      user = undefined;
      client.accessToken.mockRejectedValue({
        error: "login_required",
        error_description: "Login required",
      });
    },
  };
  return client;
}
