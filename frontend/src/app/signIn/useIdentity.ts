import { createContext, useContext } from "react";
import type { IdentityClient, IdentityUser } from "./identity";

export interface Identity
  extends Pick<IdentityClient, "signInByRedirect" | "signInByPopup" | "forget" | "signOut"> {
  isLoading: boolean;
  /** Undefined if signed out. */
  user?: IdentityUser | undefined;
  error?: Error | undefined;
  /** Return a token and its user, as `IdentityClient.accessToken` does. */
  tokens(isRenewed: boolean): Promise<{ accessToken: string; user: IdentityUser }>;
}

export const IdentityContext = createContext<Identity | null>(null);

/** The state of the sign-in, and what changes it. */
export function useIdentity(): Identity {
  const identity = useContext(IdentityContext);
  if (!identity) throw new Error("useIdentity needs a SignInProvider.");
  return identity;
}
