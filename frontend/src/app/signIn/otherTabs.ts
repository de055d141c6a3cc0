/** One for sending and listening: a channel hears all of its name but itself, so never its own tab. */
const channel = new BroadcastChannel("fleetlog-session");

/** Tells the other tabs that the user has signed out. */
export function announceSignOut(): void {
  channel.postMessage("signed-out");
}

/** Calls back when another tab signs out; returns how to stop listening. */
export function onSignOutElsewhere(callback: () => void): () => void {
  channel.addEventListener("message", callback);
  return () => channel.removeEventListener("message", callback);
}
