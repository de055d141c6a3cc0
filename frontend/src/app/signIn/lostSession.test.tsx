import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { createMemoryRouter, Outlet, type RouteObject, RouterProvider } from "react-router";
import { beforeEach, expect, test } from "vitest";
import { bookingRoutes } from "@/features/bookings/routes";
import { sampleProposals } from "@/features/bookings/sampleBookings";
import { routesRoutes } from "@/features/routes/routes";
import { apiClient } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { renewAccessToken } from "@/shared/auth/session";
import { ToastRegion } from "@/shared/toast";
import { asha, fakeIdentity } from "@/testing/identity";
import { drivers, horses, locations, trailers } from "@/testing/kinds";
import { problem } from "@/testing/recordServer";
import { server } from "@/testing/server";
import { tokenExpiringIn } from "@/testing/session";
import { SignInGate } from "./SignInGate";
import { SignInProvider } from "./SignInProvider";

interface Form {
  routes: RouteObject[];
  address: string;
  /** The field that is typed into. */
  field: string;
  /** Sends the form, where an API hears of it. */
  submit?: string;
  serve?: () => { answer: (method: string, answer: () => Response) => unknown };
}

const approved = sampleProposals.find(({ status }) => status === "approved");
const noTab = async () => () => null;
const driver = { ...drivers, field: "City", serve: () => drivers.server([drivers.wire()]) };
const trailer = { ...trailers, field: "Owner Name", serve: () => trailers.server([trailers.wire()]) };
const horse = { ...horses, field: "Engine Number", serve: () => horses.server([horses.wire()]) };
const location = { ...locations, field: "City", serve: () => locations.server([locations.wire()]) };
const edits = { submit: "Save Changes" };

/** Every form of the product in which something is typed. Clients and subcontractors have none. */
const forms: Record<string, Form> = {
  "editing a driver": { ...driver, ...edits, address: "/management/drivers/edit/EMP-001" },
  "editing a trailer": { ...trailer, ...edits, address: "/management/trailers/edit/TR-001" },
  "editing a horse": { ...horse, ...edits, address: "/management/horses/edit/HRS-0001" },
  "editing a location": { ...location, ...edits, address: "/management/locations/LOC-0001/edit" },
  "adding a driver": { ...driver, address: "/management/drivers/add" },
  "adding a trailer": { ...trailer, address: "/management/trailers/add" },
  "adding a horse": { ...horse, address: "/management/horses/add" },
  "adding a location": { ...location, address: "/management/locations/add" },
  "adding a route": { routes: routesRoutes(noTab), address: "/management/routes/add", field: "Route Name" },
  "proposing a booking": { routes: bookingRoutes, address: "/bookings/create", field: "ETA" },
  "approving a booking": {
    routes: bookingRoutes,
    address: `/bookings/approvals/create?proposalId=${approved?.id}`,
    field: "ETA",
  },
};

async function typeInto({ routes, address, field, serve }: Form) {
  const identity = fakeIdentity(asha);
  const api = serve?.();
  const router = createMemoryRouter(
    [
      {
        element: (
          <SignInGate>
            <Outlet />
          </SignInGate>
        ),
        children: routes,
      },
    ],
    { initialEntries: [address] },
  );
  render(
    <SignInProvider client={identity} onReturn={() => {}}>
      <RouterProvider router={router} />
      <ToastRegion />
    </SignInProvider>,
  );
  const user = userEvent.setup();
  const input = async () =>
    (await screen.findAllByLabelText(new RegExp(`^${field}\\*?$`)))[0] as HTMLInputElement;
  await user.clear(await input());
  await user.type(await input(), "half a word");
  return { identity, api, user, input };
}

type Page = Awaited<ReturnType<typeof typeInto>>;

async function expectNothingLost({ identity, user, input }: Page) {
  expect(await screen.findByRole("heading", { name: "Your session has ended" })).toBeVisible();
  expect(useAuthStore.getState().accessToken).toBeNull();
  expect(await input()).not.toBeVisible();
  identity.accessToken.mockResolvedValue(tokenExpiringIn(3600));
  await user.click(screen.getByRole("button", { name: "Sign In" }));
  await waitFor(async () => expect(await input()).toBeVisible());
  await waitFor(() => expect(useAuthStore.getState().accessToken).not.toBeNull());
  expect(await input()).toHaveValue("half a word");
  expect(within(screen.getByLabelText(/Notifications/)).queryByRole("alert")).toBeNull();
}

beforeEach(() => {
  window.history.replaceState(null, "", "/");
  useAuthStore.setState({ isLoading: true, accessToken: null });
});

const endings: Record<string, () => Promise<unknown>> = {
  "because the API answers 401": async () => {
    server.use(http.get("*/api/v1/anything", () => HttpResponse.json({}, { status: 401 })));
    await act(() => expect(apiClient.get("/api/v1/anything")).rejects.toMatchObject({ status: 401 }));
  },
  "because it cannot be renewed": () => act(renewAccessToken),
};

const cases = Object.keys(forms).map((name, index) => [name, Object.keys(endings)[index % 2] ?? ""] as const);

test.each(cases)(
  "%s, and the session ends %s: input is kept after signing in again",
  async (name, ending) => {
    const page = await typeInto(forms[name] as Form);
    page.identity.endSession();
    await endings[ending]?.();
    await expectNothingLost(page);
  },
);

const edited = Object.entries(forms).filter(([, { submit }]) => submit !== undefined);

test.each(edited)("%s, and the session ends while it is saved: it can be saved again", async (_, form) => {
  const page = await typeInto(form);
  page.identity.endSession();
  page.api?.answer("PUT", () => problem(401));
  await page.user.click(screen.getByRole("button", { name: form.submit }));
  await expectNothingLost(page);
  expect(screen.getByRole("button", { name: form.submit })).toBeEnabled();
});
