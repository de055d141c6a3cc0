import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { SignInProvider } from "@/app/signIn/SignInProvider";
import { useAuthStore } from "@/shared/auth/authStore";
import { asha, fakeIdentity } from "@/testing/identity";
import { Shell } from "./Shell";

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

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => new EventTarget());
  vi.stubGlobal("scrollTo", () => {});
});

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
