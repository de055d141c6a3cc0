import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { describe, expect, test, vi } from "vitest";
import type { FormValues } from "@/shared/form";
import { fillIn } from "@/testing/fillIn";
import { drivers, horses, locations, trailers } from "@/testing/kinds";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast, gate, read, replace, toasts } from "@/testing/screens";
import { drivers as driverWords } from "../../../e2e/support/kinds/drivers";
import { horses as horseWords } from "../../../e2e/support/kinds/horses";
import type { Kind } from "../../../e2e/support/kinds/kind";
import { locations as locationWords } from "../../../e2e/support/kinds/locations";
import { trailers as trailerWords } from "../../../e2e/support/kinds/trailers";

/* A record of every kind on its own screens (add, view, edit), with the specification's words. */

type Record = Readonly<globalThis.Record<string, unknown>> & { id: string };
type Sent = (record: Record) => unknown;

/** A kind of record as these tests need it, whatever its fields are. */
interface Tested {
  noun: string;
  words: Kind;
  routes: Parameters<typeof renderRoutes>[0];
  sections: Parameters<typeof fillIn>[1];
  record: Record;
  values: FormValues;
  serve: (
    records?: readonly Record[],
  ) => Pick<ReturnType<typeof drivers.server>, "answer" | "recover" | "sent" | "requests">;
  /** Titles of failed commands, what is said of a save without a reason, and of a page that cannot be loaded. */
  failures: { add: string; update: string; save: string; load: { title: string; message?: string } };
  /** The server's name of the first field that is changed. */
  wire: string;
  /** What the specification has sent of a new record, and of a changed one. */
  added: Sent;
  changed: Sent;
  /** What its page says, by label. */
  shown: Readonly<globalThis.Record<string, string>>;
}

const without =
  (...names: readonly string[]): Sent =>
  (record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
const whole: Sent = (record) => record;

function testedOf(kind: { noun: string }) {
  const { noun, routes, sections, api, wire, server } = kind as typeof drivers;
  const record = wire() as Record;
  return {
    ...{ noun, routes, sections, record },
    values: api.toValues(wire()),
    serve: server as unknown as Tested["serve"],
  };
}

const kinds: readonly Tested[] = [
  {
    ...testedOf(drivers),
    words: driverWords,
    failures: {
      add: "Failed to add driver",
      update: "Failed to update driver",
      save: "Somthing went wrong. Please try again.",
      load: { title: "Failed to load driver details" },
    },
    wire: "city",
    added: whole,
    changed: whole,
    shown: {
      "Employee Number": "EMP-001",
      "Father's Name": "Mohan Kumar",
      "Passport Valid Up To": "4 May 2031",
      "Bank Account Number": "001234567890",
      "SWIFT Code": "–",
    },
  },
  {
    ...testedOf(trailers),
    words: trailerWords,
    failures: {
      add: "Failed to add trailer",
      update: "Failed to update trailer",
      save: "Please try again.",
      load: { title: "Trailer not found", message: "Failed to load trailer details" },
    },
    wire: "owner_name",
    added: without("id"),
    changed: without("id"),
    shown: {
      "Registration Number": "MH31AB1234",
      "Capacity (tons)": "40",
      "Purchase Date": "2 Nov 2019",
      "Description 2": "–",
      Location: "Nagpur",
      "Last Maintenance": "12 Sept 2026",
      "Data (JSON)": "–",
    },
  },
  {
    ...testedOf(horses),
    words: horseWords,
    failures: {
      add: "Failed to add driver",
      update: "Failed to update driver",
      save: "Somthing went wrong. Please try again.",
      load: { title: "Failed to load horse details" },
    },
    wire: "owner",
    added: (record) => ({ ...record, created_at: null, updated_at: null }),
    changed: (record) => ({ ...record, created_at: "2026-11-20T06:10", updated_at: "2026-11-21T17:45" }),
    shown: {
      ID: "HRS-0001",
      "Created At": "2026-11-20T06:10 UTC",
      "Updated At": "2026-11-21T17:45 UTC",
      "Metadata (JSON)": '{\n  "make": "Tata",\n  "year": 2024\n}',
    },
  },
  {
    ...testedOf(locations),
    words: locationWords,
    failures: {
      add: "Failed to add location",
      update: "Failed to update location",
      save: "Please try again.",
      load: { title: "Failed to load location details" },
    },
    wire: "attributes.city",
    added: (record) => {
      const { city, state, postalCode } = record.attributes as globalThis.Record<string, unknown>;
      const sent = without("id", "created_at", "updated_at")(record);
      return { ...(sent as object), attributes: { city, state, postalCode } };
    },
    changed: without("id", "created_at", "updated_at"),
    shown: {
      Latitude: "9.9312",
      Longitude: "76.2673",
      "Location Type": "Warehouse",
      "Postal Code": "–",
      Status: "Active",
      Capacity: "40",
      "Created At": "2026-11-20T06:10 UTC",
      "Updated At": "2026-11-21T17:45 UTC",
    },
  },
];

const labelled = (label: string) =>
  screen.getByLabelText(new RegExp(`^${label.replaceAll(/[()]/g, "\\$&")}\\*?$`));

describe.each(kinds)(
  "a $noun",
  ({ words, failures, wire, routes, sections, record, values, serve, added, changed, shown }) => {
    const { paths, fields } = words;
    const [{ label, change }] = fields;
    const view = paths.view(record.id);
    const edit = paths.edit(record.id);
    const heading = words.heading({ form: {}, wire: record });
    const open = (address: string) => renderRoutes(routes, address);
    const press = (name: string) => screen.getByRole("button", { name });

    async function openAdd() {
      const page = open(paths.add);
      await screen.findByRole("form");
      return { ...page, submit: () => page.user.click(press(words.addTitle)) };
    }

    async function openEdit() {
      const page = open(edit);
      await screen.findByRole("form");
      return { ...page, save: () => page.user.click(press("Save Changes")) };
    }

    test("has the specification's sections, and names each missing field", async () => {
      const api = serve();
      const { submit } = await openAdd();
      expect(screen.getByRole("heading", { level: 1, name: words.addTitle })).toBeVisible();
      const titles = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
      expect(titles).toEqual(words.sections);
      await submit();
      for (const [missing, message] of words.required) {
        await waitFor(() => expect(labelled(missing)).toHaveAccessibleDescription(message));
      }
      expect(labelled(words.required[0]?.[0] ?? "")).toHaveFocus();
      expect(api.sent("POST")).toEqual([]);
    });

    test("is added with one command of all that was filled in, busy meanwhile", async () => {
      const api = serve();
      const { passed, release } = gate();
      api.answer("POST", () => passed.then(() => undefined as unknown as Response));
      const { user, here, submit } = await openAdd();
      await fillIn(user, sections, values);
      await submit();
      expect(await screen.findByRole("button", { name: "Adding..." })).toBeVisible();
      release();
      await expectToast(words.added);
      await waitFor(() => expect(here()).toMatch(paths.added));
      expect(api.sent("POST").map(({ path, body }) => ({ path, body }))).toEqual([
        { path: words.api, body: added(record) },
      ]);
      expect(screen.queryByRole("alertdialog")).toBeNull();
    });

    test.each([
      ["an error answer", () => problem(500)],
      ["no answer", () => HttpResponse.error()],
    ])("keeps its input after %s to an addition and to a change", async (_, answer) => {
      const api = serve([record]);
      api.answer("POST", answer);
      api.answer("PUT", answer);
      const { user, submit, here, router } = await openAdd();
      await fillIn(user, sections, values);
      await submit();
      expect(await toasts()).toEqual([failures.add + failures.save]);
      expect(here()).toBe(paths.add);
      expect(labelled(label)).not.toHaveValue("");
      await user.click(press("Cancel"));
      await router.navigate(edit);
      await user.click(await screen.findByRole("button", { name: "Save Changes" }));
      await waitFor(async () => expect(await toasts()).toEqual([failures.update + failures.save]));
    });

    test("shows values refused by the server in a toast each and at the fields", async () => {
      serve([record]).answer("PUT", () =>
        problem(422, { validation_errors: [{ field: wire, message: "Not like this", pointer: "" }] }),
      );
      const { save } = await openEdit();
      await save();
      expect(await toasts()).toEqual([`${failures.update}Not like this`]);
      expect(labelled(label)).toHaveAccessibleDescription("Not like this");
      expect(labelled(label)).toHaveFocus();
    });

    test("is read as names and values, with nothing to type into", async () => {
      serve([record]);
      open(view);
      expect(await screen.findByRole("heading", { level: 1, name: new RegExp(heading) })).toBeVisible();
      expect(Object.fromEntries(Object.keys(shown).map((term) => [term, read(term)]))).toEqual(shown);
      expect(screen.queryByRole("textbox")).toBeNull();
      expect(press(words.editButton)).toBeVisible();
    });

    test("is changed by a command with the complete record, and then shown as saved", async () => {
      const api = serve([record]);
      const { user, here } = open(view);
      await user.click(await screen.findByRole("button", { name: words.editButton }));
      await screen.findByRole("form");
      expect(here()).toBe(edit);
      await replace(user, labelled(label), "Thrissur");
      const { passed, release } = gate();
      api.answer("PUT", () => passed.then(() => undefined as unknown as Response));
      await user.click(press("Save Changes"));
      expect(await screen.findByRole("button", { name: "Saving..." })).toBeVisible();
      release();
      await expectToast(words.updated);
      expect(await screen.findByRole("button", { name: words.editButton })).toBeVisible();
      expect(here()).toBe(view);
      expect(read(label)).toBe("Thrissur");
      expect(api.sent("PUT").map(({ path, body }) => ({ path, body }))).toEqual([
        { path: `${words.api}/${record.id}`, body: changed(change(record, "Thrissur") as Record) },
      ]);
    });

    test("is restored by Cancel, which leads where the specification says", async () => {
      const api = serve([record]);
      const { user, here, router } = await openEdit();
      const before = labelled(label).getAttribute("value");
      await replace(user, labelled(label), "Given up");
      await user.click(press("Cancel"));
      await waitFor(() => expect(here()).toBe(words.cancelEdit === "view" ? view : paths.list));
      await router.navigate(edit);
      await screen.findByRole("form");
      expect(labelled(label).getAttribute("value")).toBe(before);
      expect(api.sent("PUT")).toEqual([]);
    });

    test("is loading until the answer comes", async () => {
      serve().answer("GET", () => new Promise<Response>(() => undefined));
      open(view);
      expect(await screen.findByText(words.loading)).toBeVisible();
    });

    test("with an unknown id is not found at either address, with a way back", async () => {
      serve();
      const { router } = open(view);
      for (const address of [view, edit]) {
        await router.navigate(address);
        // The panel of the address before may be on the screen for a moment more.
        await waitFor(() => {
          expect(screen.getByRole("heading", { name: words.notFound })).toBeVisible();
          const panel = screen.getByText(`The requested ${words.noun} could not be found.`).parentElement;
          const back = within(panel ?? document.body).getByRole("link", { name: words.back });
          expect(back).toHaveAttribute("href", paths.list);
        });
      }
    });

    test("that fails to load shows an error, a toast and a retry", async () => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      serve().answer("GET", () => problem(503));
      open(view);
      const { title, message } = failures.load;
      expect(await screen.findByRole("heading", { name: title })).toBeVisible();
      if (message !== undefined) expect(screen.getByText(message)).toBeVisible();
      expect(press("Try Again")).toBeVisible();
      expect(await toasts()).toEqual([`ErrorFailed to load ${words.noun} details. Please try again.`]);
    });
  },
);
