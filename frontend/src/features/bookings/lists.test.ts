import fc from "fast-check";
import { expect, test } from "vitest";
import { createRowSearch } from "@/shared/table/search";
import { approvalList } from "./approvalList";
import type { Approval, Proposal } from "./entities";
import { proposalList } from "./proposalList";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { statusText, tripsText } from "./statuses";

const proposalTexts = (each: Proposal) => [each.id, each.clientOrganization, each.route.name];
const approvalTexts = (each: Approval) => [
  each.id,
  each.proposalId,
  each.clientOrganization,
  each.route.name,
];

/** A part of one of the texts, in letters of any size; or what is written only in other columns. */
function typed(texts: readonly string[]): fc.Arbitrary<string> {
  const part = fc
    .record({ text: fc.constantFrom(...texts), from: fc.nat(30), length: fc.integer({ min: 1, max: 30 }) })
    .map(({ text, from, length }) => text.slice(from % text.length, (from % text.length) + length));
  const cased = fc
    .tuple(part, fc.boolean())
    .map(([text, up]) => (up ? text.toUpperCase() : text.toLowerCase()));
  const elsewhere = fc.constantFrom("pending", "high", "2026", "trips");
  // A number is found however it is written (`search.test.ts`): a dash before its digits says nothing.
  return fc
    .oneof({ weight: 5, arbitrary: cased }, elsewhere)
    .filter((text) => !/^[-\s]+\d+[-\s\d]*$/.test(text));
}

const contains = (texts: readonly string[], wanted: string) =>
  texts.some((text) => text.toLowerCase().includes(wanted.trim().toLowerCase()));

test("proposals are found by any part of their id, client or route, and by nothing else", () => {
  const search = createRowSearch(proposalList.searchFields);
  fc.assert(
    fc.property(typed(sampleProposals.flatMap(proposalTexts)), (text) => {
      const expected = sampleProposals.filter((each) => contains(proposalTexts(each), text));
      expect(search(sampleProposals, text)).toEqual(expected);
    }),
  );
});

test("approvals are found by any part of either id, client or route, and by nothing else", () => {
  const search = createRowSearch(approvalList.searchFields);
  fc.assert(
    fc.property(typed(sampleApprovals.flatMap(approvalTexts)), (text) => {
      const expected = sampleApprovals.filter((each) => contains(approvalTexts(each), text));
      expect(search(sampleApprovals, text)).toEqual(expected);
    }),
  );
});

test("one trip is a trip, any other number of them are trips", () => {
  fc.assert(
    fc.property(fc.nat(), (count) => {
      expect(tripsText(count)).toBe(`${count} ${count === 1 ? "trip" : "trips"}`);
    }),
  );
});

test("every hyphen of a status is shown as a space", () => {
  expect(statusText("in-progress")).toBe("in progress");
  expect(statusText("pending-review-by-two")).toBe("pending review by two");
});
