import { useAuth0 } from "@auth0/auth0-react";
import { useCallback } from "react";
import { forgetLookedAt } from "@/shared/actions";
import { clearAuth } from "@/shared/auth/authStore";
import { announceSignOut } from "./otherTabs";

/** The ways in and out. */
export function useSignIn() {
  const { loginWithRedirect, loginWithPopup, logout } = useAuth0();

  return {
    /** Leaves for the identity provider; the way back leads to where the user is now. */
    signIn: useCallback(() => {
      const { pathname, search, hash } = window.location;
      return loginWithRedirect({ appState: { returnTo: pathname + search + hash } });
    }, [loginWithRedirect]),

    /** Signs in beside the page, so that what is open on it survives. */
    signInBeside: useCallback(() => loginWithPopup(), [loginWithPopup]),

    /** Forgets the session here, in our other tabs, and at the identity provider. */
    signOut: useCallback(async () => {
      forgetLookedAt();
      clearAuth();
      await logout({ logoutParams: { returnTo: window.location.origin } });
      announceSignOut(); // last: the other tabs look whether there is still a session
    }, [logout]),
  };
}
