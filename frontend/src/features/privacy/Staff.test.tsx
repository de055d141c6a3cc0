import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { officer, without } from "@/testing/permissions";
import { privacyServer, restricted, wireStanding } from "@/testing/privacyServer";
import { rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { privacyRoutes, REQUESTS_PATH, staffPath } from "./routes";
import type { StaffMember } from "./StaffPages";

const eraser = without(officer, "privacy:restrict");
const SUB = "dev|omar";
const API = "/api/v1/actors/dev%7Comar";

function member(differences: Partial<StaffMember> = {}): StaffMember {
  return { sub: SUB, name: "Omar Diallo", since: "2026-11-01T08:00:00Z", state: "active", ...differences };
}

const standing = (differences: Parameters<typeof wireStanding>[0] = {}) =>
  wireStanding({ id: SUB, entity: "actor", fields: ["name"], events: 12, ...differences });

function staffServer(...content: readonly StaffMember[]) {
  const request = { ...restricted({ id: SUB, entity: "actor" }), version: null };
  answer("GET v1/privacy/requests", () => ({ content: [request] }));
  return answer("GET v1/actors", () => ({ content }));
}

const open = (address: string, me = officer) =>
  renderRoutes(
    privacyRoutes(async () => []),
    address,
    me,
  );
const stands = async () => within(await screen.findByRole("region", { name: "Status" }));

test("staff are listed and searched by name, and link to their privacy actions", async () => {
  staffServer(
    member(),
    member({ sub: "dev|lena", name: "Lena Voss", state: "restricted" }),
    member({ sub: "dev|ivo", name: null, since: null, state: "erased" }),
  );
  privacyServer(API, standing());
  const { user, here } = open(REQUESTS_PATH);
  await user.click(await screen.findByRole("tab", { name: "Staff" }));
  const rows = () =>
    within(screen.getByRole("table", { name: "Staff" }))
      .getAllByRole("row")
      .slice(1);
  await screen.findByText("Lena Voss");
  expect(rows()).toHaveLength(3);
  expect(rows()[1]).toHaveTextContent(/^Lena VossRestricteddev\|lena/);
  expect(rows()[2]).toHaveTextContent("dev|ivo Name erasedEraseddev|ivo");
  await user.type(screen.getByRole("searchbox"), "omar");
  await screen.findByText("Omar Diallo");
  await expect.poll(() => rows().length).toBe(1);
  await user.click(screen.getByRole("link", { name: "Omar Diallo" }));
  expect(await screen.findByRole("heading", { name: SUB })).toBeVisible();
  expect(here()).toBe(staffPath(SUB));
});

test("a second person with privacy:erase alone types the ID, and no name is requested", async () => {
  const asked = staffServer(member({ name: null, state: "erasing" }));
  const api = privacyServer(API, standing({ ...restricted(), id: SUB, entity: "actor", asked_by: rohan }));
  const { user } = open(REQUESTS_PATH, eraser);
  expect(screen.queryByRole("tab", { name: "Staff" })).toBeNull();
  await user.click(await screen.findByRole("link", { name: `Staff ${SUB}` }));
  await user.click(await screen.findByRole("button", { name: "Erase…" }));
  const form = within(await screen.findByRole("dialog", { name: "Erase permanently?" }));
  await user.type(form.getByRole("textbox"), SUB);
  await user.click(form.getByRole("button", { name: "Erase Permanently" }));
  expect((await stands()).getByText("Erasing")).toBeVisible();
  expect(api.sent[0]?.body).toEqual({ confirm: SUB });
  expect(asked).toEqual([]);
});

test("users cannot restrict or erase themselves", async () => {
  staffServer();
  privacyServer(`/api/v1/actors/${encodeURIComponent(officer.sub)}`, standing({ id: officer.sub }));
  open(staffPath(officer.sub));
  expect(await screen.findByText(/^You cannot restrict or erase yourself/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Restrict…" })).toBeNull();
});

test("an unknown ID is not found", async () => {
  privacyServer(API, null);
  open(staffPath(SUB));
  expect(await screen.findByRole("heading", { name: "Unknown ID" })).toBeVisible();
});
