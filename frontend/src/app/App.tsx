import { createBrowserRouter, RouterProvider } from "react-router";
import { ToastRegion } from "@/shared/toast";
import { loadPalette, loadShortcuts } from "./palette/WithPalette";
import { routes } from "./routes";
import { useScreensAhead } from "./screensAhead";
import type { IdentityClient } from "./signIn/identity";
import { SignInProvider } from "./signIn/SignInProvider";

const loadMaps = async () => (await import("@/shared/map")).loadMaps();

const AHEAD = [loadPalette, loadShortcuts, loadMaps];

const router = createBrowserRouter(routes);

function returnTo(path: string) {
  void router.navigate(path, { replace: true });
}

export function App({ client }: { client: IdentityClient }) {
  useScreensAhead(routes, AHEAD);
  return (
    <SignInProvider client={client} onReturn={returnTo}>
      <RouterProvider router={router} />
      <ToastRegion />
    </SignInProvider>
  );
}
