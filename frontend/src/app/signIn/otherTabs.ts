const CHANNEL = "fleetlog-session";

/** Tells the other tabs that the user has signed out. */
export function announceSignOut(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("signed-out");
  channel.close();
}

/** Calls back when another tab signs out; returns how to stop listening. */
export function onSignOutElsewhere(callback: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", callback);
  return () => channel.close();
}
