// Runs before the first paint: applies the theme, shows the frame of index.html to signed-in users, and begins to load the
// settings, and the metadata of the provider that restores the session.
// The content security policy forbids inline scripts.
try {
  const stored = (key) => JSON.parse(localStorage.getItem(key) ?? "{}").state ?? {};
  const { theme = "system" } = stored("fleetlog-theme");
  const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  const { classList } = document.documentElement;
  classList.toggle("bp6-dark", isDark);
  classList.toggle("fl-signed-in", stored("auth-storage").isAuthenticated === true);
  classList.toggle("fl-narrow-sidebar", document.cookie.split("; ").includes("sidebar_state=false"));
} catch {
  // The browser refuses storage: the page starts without the frame.
}

globalThis.fleetlogConfig = fetch("/config.json");
globalThis.fleetlogConfig
  .then((response) => response.clone().json())
  .then(({ auth }) => {
    if (auth.issuer === undefined || !document.cookie.includes("fleetlog.is.authenticated=")) return;
    const href = `${auth.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const link = { rel: "preload", as: "fetch", crossOrigin: "anonymous", href };
    document.head.append(Object.assign(document.createElement("link"), link));
  })
  .catch(() => {}); // The application shows the error.
