import { useCallback } from "react";
import { clearRecentRecords } from "@/shared/actions";
import { clearAuth } from "@/shared/auth/authStore";
import { useIdentity } from "./useIdentity";

export function useSignIn() {
  const { signInByRedirect, signInByPopup, signOut } = useIdentity();

  return {
    /** Redirect to the identity provider, which returns to the current address. */
    signIn: useCallback(() => {
      const { pathname, search, hash } = window.location;
      return signInByRedirect(pathname + search + hash);
    }, [signInByRedirect]),

    /** Sign in by popup, so that the page keeps its state. */
    signInBeside: signInByPopup,

    /** End the session here, in other tabs, and at the identity provider. */
    signOut: useCallback(async () => {
      clearRecentRecords();
      clearAuth();
      await signOut();
      channel.postMessage("signed-out"); // Last, because the other tabs check the session.
    }, [signOut]),
  };
}

/** A channel object does not receive its own messages, so a tab does not sign itself out. */
const channel = new BroadcastChannel("fleetlog-session");

/** Call back when another tab signs out. Returns a function that stops it. */
export function onSignOutElsewhere(callback: () => void): () => void {
  channel.addEventListener("message", callback);
  return () => channel.removeEventListener("message", callback);
}
