import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SignInProvider } from "@/app/signIn/SignInProvider";
import { useAuthStore } from "@/shared/auth/authStore";
import { asha, fakeIdentity } from "@/testing/identity";
import { Shell } from "./Shell";

function open(path = "/", identity = fakeIdentity(asha)) {
  const router = createMemoryRouter(
    [{ Component: Shell, children: [{ path: "*", element: <h1>Screen</h1> }] }],
    {
      initialEntries: [path],
    },
  );
  render(
    <SignInProvider client={identity.asClient} onReturn={() => {}}>
      <RouterProvider router={router} />
    </SignInProvider>,
  );
  return identity;
}

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  vi.stubGlobal("scrollTo", () => {});
});

afterEach(() => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = "sidebar_state=; max-age=0; path=/";
});

describe("the sidebar", () => {
  const current = () =>
    within(screen.getByRole("navigation", { name: "Main" }))
      .getAllByRole("link")
      .filter((link) => link.getAttribute("aria-current") === "page")
      .map((link) => link.textContent);

  test.each([
    ["/", ["Trips"]],
    ["/fleets", ["Fleets"]],
    ["/bookings", ["Bookings"]],
    ["/management", ["Management"]],
    ["/management/drivers", []],
    ["/bookings/create", []],
  ])("on %s highlights %o", async (path, expected) => {
    open(path);
    await screen.findByText("Asha Menon");
    expect(current()).toEqual(expected);
  });

  const toggle = () => screen.getByRole("button", { name: "Toggle sidebar" });

  test("is open at first, and as it was left after that", async () => {
    open();
    expect(toggle()).toHaveAttribute("aria-expanded", "true");
    await userEvent.click(toggle());
    expect(toggle()).toHaveAttribute("aria-expanded", "false");
    expect(document.cookie).toContain("sidebar_state=false");
    await userEvent.click(toggle());
    expect(document.cookie).toContain("sidebar_state=true");
  });

  test("starts collapsed when the cookie says so", () => {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
    document.cookie = "sidebar_state=false; path=/";
    open();
    expect(toggle()).toHaveAttribute("aria-expanded", "false");
  });

  test.each(["{Control>}b{/Control}", "{Meta>}b{/Meta}", "{Control>}B{/Control}"])(
    "answers %s",
    async (keys) => {
      open();
      await userEvent.keyboard(keys);
      expect(toggle()).toHaveAttribute("aria-expanded", "false");
    },
  );

  test.each(["b", "{Alt>}b{/Alt}", "{Control>}{Shift>}b{/Shift}{/Control}", "{Control>}n{/Control}"])(
    "leaves %s alone",
    async (keys) => {
      open();
      await userEvent.keyboard(keys);
      expect(toggle()).toHaveAttribute("aria-expanded", "true");
    },
  );
});

describe("the sidebar's footer", () => {
  test("shows name and e-mail, and initials in place of a picture that does not load", async () => {
    open();
    expect(await screen.findByText("Asha Menon")).toBeVisible();
    expect(screen.getByText(asha.email)).toBeVisible();
    expect(screen.getByText("AM")).toBeVisible();
  });

  test("calls a user without a name User", async () => {
    open("/", fakeIdentity({ ...asha, name: "" }));
    expect(await screen.findByText("User")).toBeVisible();
    expect(await screen.findByText("AS")).toBeVisible();
  });

  test("Logout clears the local session and sends the browser to the origin", async () => {
    const identity = open();
    await screen.findByText("Asha Menon");
    await userEvent.click(screen.getByRole("button", { name: "Logout" }));
    expect(identity.logout).toHaveBeenCalledWith({ logoutParams: { returnTo: window.location.origin } });
    expect(useAuthStore.getState()).toMatchObject({ isAuthenticated: false, user: null, accessToken: null });
  });
});
