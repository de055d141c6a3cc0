import { createBrowserRouter, RouterProvider } from "react-router";
import { ToastRegion } from "@/shared/toast";
import { routes } from "./routes";
import { SignInProvider } from "./signIn/SignInProvider";

const router = createBrowserRouter(routes);

function returnTo(path: string) {
  void router.navigate(path, { replace: true });
}

export function App() {
  return (
    <SignInProvider onReturn={returnTo}>
      <RouterProvider router={router} />
      <ToastRegion />
    </SignInProvider>
  );
}
