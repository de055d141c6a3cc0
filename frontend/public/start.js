// Runs before the first paint: applies the theme, shows the frame of index.html to signed-in users, and begins to load the
// library that signs in, which the settings decide.
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

const clients = document.currentScript.dataset;
const load = (link) => document.head.append(Object.assign(document.createElement("link"), link));
globalThis.fleetlogConfig = fetch("/config.json");
globalThis.fleetlogConfig
  .then((response) => response.clone().json())
  .then(({ auth }) => {
    const href = auth.issuer === undefined ? clients.auth0 : clients.openId;
    if (href) load({ rel: "modulepreload", href });
    if (auth.issuer !== undefined && document.cookie.includes("fleetlog.is.authenticated=")) {
      const metadata = `${auth.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      load({ rel: "preload", as: "fetch", crossOrigin: "anonymous", href: metadata });
    }
  })
  .catch(() => {}); // The application shows the error.
