// Hands the identity provider's answer, in a popup or a hidden frame, to the page of this origin that waits for its state.
new BroadcastChannel("fleetlog-signed-in").postMessage(location.search.slice(1));
