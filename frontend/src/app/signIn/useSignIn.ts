import { useAuth0 } from "@auth0/auth0-react";
import { useCallback } from "react";
import { clearRecentRecords } from "@/shared/actions";
import { clearAuth } from "@/shared/auth/authStore";

export function useSignIn() {
  const { loginWithRedirect, loginWithPopup, logout } = useAuth0();

  return {
    /** Redirect to the identity provider, which returns to the current address. */
    signIn: useCallback(() => {
      const { pathname, search, hash } = window.location;
      return loginWithRedirect({ appState: { returnTo: pathname + search + hash } });
    }, [loginWithRedirect]),

    /** Sign in by popup, so that the page keeps its state. */
    signInBeside: useCallback(() => loginWithPopup(), [loginWithPopup]),

    /** End the session here, in other tabs, and at the identity provider. */
    signOut: useCallback(async () => {
      clearRecentRecords();
      clearAuth();
      await logout({ logoutParams: { returnTo: window.location.origin } });
      channel.postMessage("signed-out"); // Last, because the other tabs check the session.
    }, [logout]),
  };
}

/** A channel object does not receive its own messages, so a tab does not sign itself out. */
const channel = new BroadcastChannel("fleetlog-session");

/** Call back when another tab signs out. Returns a function that stops it. */
export function onSignOutElsewhere(callback: () => void): () => void {
  channel.addEventListener("message", callback);
  return () => channel.removeEventListener("message", callback);
}
