import { expect, test } from "vitest";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);

test("proposals and approvals come in every status and priority", () => {
  expect(new Set(sampleProposals.map(({ status }) => status)).size).toBe(5);
  expect(new Set(sampleApprovals.map(({ approvalStatus }) => approvalStatus)).size).toBe(3);
  expect(new Set(sampleApprovals.map(({ priority }) => priority)).size).toBe(3);
  expect(new Set(sampleApprovals.map(({ comments }) => comments === "")).size).toBe(2);
});

test("a proposal's trip count is right, and no trip exceeds its capacity", () => {
  const capacities = new Map(
    [...samplePickLists.horses, ...samplePickLists.trailers].map(({ id, capacity }) => [id, capacity]),
  );
  for (const { proposalTrips, trips } of sampleProposals) {
    expect(trips).toHaveLength(proposalTrips);
    for (const { horse, trailers, tonnage } of trips) {
      expect(trailers.length).toBeGreaterThan(0);
      expect(tonnage).toBeGreaterThan(0);
      expect(tonnage).toBeLessThanOrEqual(capacities.get(horse) ?? 0);
      expect(tonnage).toBeLessThanOrEqual(
        trailers.reduce((sum, trailer) => sum + (capacities.get(trailer) ?? 0), 0),
      );
    }
  }
});

test("no horse, driver or trailer is on two trips of a proposal", () => {
  for (const { trips } of sampleProposals) {
    const used = trips.flatMap(({ horse, driver, trailers }) => [horse, driver, ...trailers]);
    expect(new Set(used).size).toBe(used.length);
  }
});

test("what trips are made of can be picked", () => {
  for (const { horse, trailers, driver } of sampleProposals.flatMap(({ trips }) => trips)) {
    expect(ids(samplePickLists.horses)).toContain(horse);
    expect(ids(samplePickLists.trailers)).toEqual(expect.arrayContaining([...trailers]));
    expect(ids(samplePickLists.drivers)).toContain(driver);
  }
});

test("every approval is of an approved proposal, for the same client and route, and no older", () => {
  for (const approval of sampleApprovals) {
    const proposal = sampleProposals.find(({ id }) => id === approval.proposalId);
    expect(proposal?.status).toBe("approved");
    expect(approval.clientOrganization).toBe(proposal?.clientOrganization);
    expect(approval.route).toEqual(proposal?.route);
    expect(approval.submittedDate > (proposal?.createdDate ?? "")).toBe(true);
  }
});

test("bookings have clients of the pick-list, whose names are unique", () => {
  const names = samplePickLists.clients.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(sampleProposals.map(({ clientOrganization }) => clientOrganization))).toEqual(
    new Set(names),
  );
});
