import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { AUTH_STORAGE_KEY, useAuthStore } from "@/shared/auth/authStore";
import { Permitted } from "@/shared/auth/permissions";
import { renewAccessToken } from "@/shared/auth/session";
import { asha, fakeIdentity } from "@/testing/identity";
import { analyst, staff } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { gate } from "@/testing/screens";
import { server } from "@/testing/server";
import { tokenExpiringIn } from "@/testing/session";
import { SignInGate } from "./SignInGate";
import { SignInProvider } from "./SignInProvider";

function open(identity: ReturnType<typeof fakeIdentity>, onReturn: (path: string) => void = () => {}) {
  render(
    <SignInProvider client={identity} onReturn={onReturn}>
      <SignInGate>
        <label>
          Note <input />
        </label>
        <DriverCount />
        <Permitted to="fleet:write">
          <p>Add Driver</p>
        </Permitted>
      </SignInGate>
    </SignInProvider>,
  );
}

function DriverCount() {
  const { data } = useApiQuery<{ content: unknown[] }>("/api/v1/drivers");
  return <p>{data ? `${data.content.length} drivers` : "waiting"}</p>;
}

const stored = () => JSON.parse(localStorage.getItem(AUTH_STORAGE_KEY) ?? "{}").state;

let requests: (string | null)[] = [];

beforeEach(() => {
  requests = [];
  window.history.replaceState(null, "", "/");
  useAuthStore.setState({ isLoading: true });
  server.use(
    http.get(`${window.location.origin}/api/v1/drivers`, ({ request }) => {
      requests.push(request.headers.get("authorization"));
      return HttpResponse.json({ content: [1, 2] });
    }),
  );
});

describe("while authentication loads", () => {
  test("the gate says so", () => {
    const identity = fakeIdentity();
    identity.restoreSession.mockReturnValue(new Promise(() => {}));
    open(identity);
    expect(screen.getByRole("heading", { name: "Loading..." })).toBeVisible();
    expect(screen.getByText("Loading authentication...")).toBeVisible();
  });
});

describe("before sign-in", () => {
  test("the gate welcomes, and nothing behind it is shown or requested", async () => {
    open(fakeIdentity());
    expect(await screen.findByRole("heading", { name: "Welcome to Fleetlog" })).toBeVisible();
    expect(screen.getByText("Sign in to access your fleet management dashboard")).toBeVisible();
    expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "User authentication",
      "Profile management",
      "Secure API access",
      "Role-based permissions",
    ]);
    expect(screen.queryByLabelText("Note")).toBeNull();
    expect(requests).toEqual([]);
  });

  test("what an earlier session left in storage is cleared", async () => {
    useAuthStore.setState({ isAuthenticated: true, accessToken: tokenExpiringIn(60), idToken: "old" });
    open(fakeIdentity());
    await screen.findByRole("heading", { name: "Welcome to Fleetlog" });
    expect(stored()).toEqual({
      isAuthenticated: false,
      user: null,
      accessToken: null,
      idToken: null,
      refreshToken: null,
    });
  });
});

describe("a login callback", () => {
  test.each(["?code=c&state=s", "?error=access_denied&state=s"])("is recognised by %s", async (query) => {
    window.history.replaceState(null, "", `/${query}`);
    const identity = fakeIdentity();
    open(identity);
    await waitFor(() => expect(identity.finishRedirect).toHaveBeenCalledOnce());
    expect(identity.restoreSession).not.toHaveBeenCalled();
  });

  test.each(["?code=c", "?state=s", "?error=e", ""])("is not seen in '%s'", async (query) => {
    window.history.replaceState(null, "", `/${query}`);
    const identity = fakeIdentity();
    open(identity);
    await waitFor(() => expect(identity.restoreSession).toHaveBeenCalledOnce());
    expect(identity.finishRedirect).not.toHaveBeenCalled();
  });

  test("that fails is an authentication error, and is not presented again by Retry", async () => {
    window.history.replaceState(null, "", "/?error=access_denied&state=s");
    const identity = fakeIdentity();
    identity.finishRedirect.mockRejectedValue(new Error("Invalid state"));
    open(identity);
    expect(await screen.findByRole("heading", { name: "Authentication Error" })).toBeVisible();
    expect(screen.getByRole("alert")).toHaveTextContent("Invalid state");
    expect(screen.getByRole("button", { name: "Retry" })).toBeVisible();
    expect(window.location.search).toBe("");
  });
});

test.each([
  [{ error: "access_denied", error_description: "Not you" }, "Not you"],
  [{ error: "access_denied" }, "access_denied"],
  ["no error at all", "Login failed"],
])("a sign-in that cannot begin (%o) is an authentication error", async (thrown, message) => {
  const identity = fakeIdentity();
  identity.signInByRedirect.mockRejectedValue(thrown);
  open(identity);
  await userEvent.click(await screen.findByRole("button", { name: "Sign In" }));
  expect(await screen.findByRole("heading", { name: "Authentication Error" })).toBeVisible();
  expect(screen.getByRole("alert")).toHaveTextContent(message);
});

describe("after sign-in", () => {
  test("the screens are shown and their requests carry the token", async () => {
    open(fakeIdentity(asha));
    expect(await screen.findByText("2 drivers")).toBeVisible();
    expect(requests).toEqual([`Bearer ${useAuthStore.getState().accessToken}`]);
  });

  test("an earlier user's token is never sent", async () => {
    useAuthStore.setState({ isAuthenticated: true, accessToken: tokenExpiringIn(3600, { sub: "other" }) });
    const identity = fakeIdentity(asha);
    const token = tokenExpiringIn(3600, { sub: asha.sub });
    identity.accessToken.mockResolvedValue(token);
    open(identity);
    await screen.findByText("2 drivers");
    expect(requests).toEqual([`Bearer ${token}`]);
  });

  test("a failure to fetch tokens is logged, and the screens wait without requests", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const identity = fakeIdentity(asha);
    identity.accessToken.mockRejectedValueOnce(new Error("Failed to fetch"));
    open(identity);
    expect(await screen.findByRole("heading", { name: NOT_LOADED })).toBeVisible();
    await waitFor(() => expect(logged).toHaveBeenCalled());
    expect(screen.queryByLabelText("Note")).toBeNull();
    expect(requests).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Try Again" }));
    expect(await screen.findByText("2 drivers")).toBeVisible();
  });
});

const NOT_LOADED = "Your permissions could not be loaded";

describe("what the user may do", () => {
  /** Respond to `/me` with these responses in order, repeating the last. Returns the tokens received. */
  function answerMe(...answers: (() => Response | Promise<Response>)[]) {
    const asked: (string | null)[] = [];
    server.use(
      http.get("*/api/v1/me", ({ request }) => {
        asked.push(request.headers.get("authorization"));
        return (answers.length > 1 ? answers.shift() : answers[0])?.() ?? HttpResponse.error();
      }),
    );
    return asked;
  }
  const asStaff = () => HttpResponse.json(staff as object);
  const asAnalyst = () => HttpResponse.json(analyst as object);

  test("is what it was before a reload, until it is known", async () => {
    sessionStorage.setItem(`me:${asha.sub}`, JSON.stringify(staff));
    answerMe(() => new Promise<Response>(() => {}));
    open(fakeIdentity(asha));
    expect(await screen.findByLabelText("Note")).toBeVisible();
  });

  test("is known before any screen is shown, so that nothing appears that then vanishes", async () => {
    const { passed, release } = gate();
    const asked = answerMe(() => passed.then(asAnalyst));
    open(fakeIdentity(asha));
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(screen.getByRole("heading", { name: "Loading..." })).toBeVisible();
    expect(screen.queryByLabelText("Note")).toBeNull();
    expect(requests).toEqual([]);
    release();
    expect(await screen.findByText("2 drivers")).toBeVisible();
    expect(screen.queryByText("Add Driver")).toBeNull();
    expect(asked).toEqual([`Bearer ${useAuthStore.getState().accessToken}`]);
  });

  test("that cannot be loaded is an error with a way on", async () => {
    answerMe(() => problem(400), asStaff);
    open(fakeIdentity(asha));
    expect(await screen.findByRole("heading", { name: NOT_LOADED })).toBeVisible();
    expect(screen.queryByLabelText("Note")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Try Again" }));
    expect(await screen.findByText("Add Driver")).toBeVisible();
  });

  test("is requested again with each new token, and input stays", async () => {
    const asked = answerMe(asStaff, () => problem(400), asAnalyst);
    const identity = fakeIdentity(asha);
    open(identity);
    await userEvent.type(await screen.findByLabelText("Note"), "half a sentence");
    expect(screen.getByText("Add Driver")).toBeVisible();
    // If the request fails, the former permissions apply.
    for (const seconds of [3601, 3602]) {
      identity.accessToken.mockResolvedValue(tokenExpiringIn(seconds));
      await renewAccessToken();
      await waitFor(() => expect(asked.at(-1)).toBe(`Bearer ${useAuthStore.getState().accessToken}`));
    }
    await waitFor(() => expect(screen.queryByText("Add Driver")).toBeNull());
    expect(new Set(asked).size).toBe(3);
    expect(screen.getByLabelText("Note")).toHaveValue("half a sentence");
  });

  test("is asked again when the API says that a permission is missing, and only then", async () => {
    const asked = answerMe(asStaff, asAnalyst);
    open(fakeIdentity(asha));
    await screen.findByText("Add Driver");
    const refuse = (extensions: Parameters<typeof problem>[1]) =>
      server.use(http.get("*/api/v1/horses", () => problem(403, extensions)));
    refuse({});
    await expect(apiClient.get("/api/v1/horses")).rejects.toMatchObject({ status: 403 });
    expect(asked).toHaveLength(1);
    refuse({ missing_permissions: ["fleet:write"] });
    await expect(apiClient.get("/api/v1/horses")).rejects.toMatchObject({ status: 403 });
    await waitFor(() => expect(screen.queryByText("Add Driver")).toBeNull());
    expect(asked).toHaveLength(2);
  });
});

test("after an expired session, another user does not see the former input", async () => {
  const identity = fakeIdentity(asha);
  open(identity);
  await screen.findByText("2 drivers");
  await userEvent.type(screen.getByLabelText("Note"), "half a sentence");
  identity.endSession();
  server.use(http.get("*/api/v1/horses", () => HttpResponse.json({}, { status: 401 })));
  await expect(apiClient.get("/api/v1/horses")).rejects.toMatchObject({ status: 401 });
  expect(await screen.findByRole("heading", { name: "Your session has ended" })).toBeVisible();
  expect(stored()).toMatchObject({ isAuthenticated: false, accessToken: null, user: null });

  const rohan = { sub: "dev|rohan", name: "Rohan Gupta", email: "rohan.gupta@fleetlog.example" };
  identity.signInByPopup.mockImplementation(async () => {
    identity.user.mockResolvedValue({ ...rohan, idToken: "id-token of rohan" });
  });
  identity.accessToken.mockResolvedValue(tokenExpiringIn(3600));
  await userEvent.click(screen.getByRole("button", { name: "Sign In" }));
  await waitFor(() => expect(screen.getByLabelText("Note")).toBeVisible());
  expect(screen.getByLabelText("Note")).toHaveValue("");
});
