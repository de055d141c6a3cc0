import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test } from "vitest";
import { SignInProvider } from "@/app/signIn/SignInProvider";
import { useAuthStore } from "@/shared/auth/authStore";
import { asha, fakeIdentity } from "@/testing/identity";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { SystemLink } from "./Header";
import { Shell } from "./Shell";
import { userInitials } from "./Sidebar";

/* Who is signed in, and the way out; the frame's journeys in the browser have the rest. */

function open(identity = fakeIdentity(asha)) {
  const router = createMemoryRouter([{ path: "*", Component: Shell }]);
  render(
    <SignInProvider client={identity} onReturn={() => {}}>
      <RouterProvider router={router} />
    </SignInProvider>,
  );
  return identity;
}

test.each([
  [asha, ["Asha Menon", asha.email, "AM"]],
  [{ ...asha, name: "" }, ["User", asha.email, "AS"]],
])("%o is shown by name and e-mail, and by initials in place of a picture", async (user, texts) => {
  open(fakeIdentity(user));
  for (const text of texts) expect(await screen.findByText(text)).toBeVisible();
});

test("Logout clears the local session and that of the identity provider", async () => {
  const identity = open();
  await screen.findByText("Asha Menon");
  await userEvent.click(screen.getByRole("button", { name: "Logout" }));
  expect(identity.signOut).toHaveBeenCalledOnce();
  expect(useAuthStore.getState()).toMatchObject({ isAuthenticated: false, user: null, accessToken: null });
});

test.each([
  [{ name: "Asha Menon", email: "x@y" }, "AM"],
  [{ name: "asha venkata menon" }, "AV"],
  [{ name: "  Asha  " }, "A"],
  [{ name: "", email: "rohan@fleetlog.example" }, "RO"],
  [{ name: "   ", email: "r" }, "R"],
  [{ email: "rohan@fleetlog.example" }, "RO"],
  [{ name: "", email: "" }, "U"],
  [{}, "U"],
  [null, "U"],
  [{ name: "émile 𝒵ola" }, "É𝒵"],
])("%o is shown as %s", (user, expected) => {
  expect(userInitials(user)).toBe(expected);
});

test("the header shows the system's state, also when the server is unreachable", async () => {
  let answer = () => HttpResponse.json({ state: "well" });
  server.use(http.get("*/api/v1/system/state", () => answer()));
  renderRoutes([{ path: "/", element: <SystemLink /> }], "/");
  const become = async (next: typeof answer, name: string, state: string) => {
    answer = next;
    // As when the network is there again: it asks at once.
    act(() => void window.dispatchEvent(new Event("online")));
    expect(await screen.findByRole("link", { name })).toHaveAttribute("data-state", state);
  };
  expect(await screen.findByRole("link", { name: "System: all is well" })).toHaveAttribute(
    "href",
    "/management/system",
  );
  await become(() => HttpResponse.json({ state: "wrong" }), "System: something is wrong", "wrong");
  await become(() => HttpResponse.error(), "System: unreachable", "unknown");
  await become(() => HttpResponse.json({ state: "watch" }), "System: needs attention today", "watch");
});
