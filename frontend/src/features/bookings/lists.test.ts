import fc from "fast-check";
import { expect, test } from "vitest";
import { createRowSearch } from "@/shared/table/search";
import type { Approval, Proposal } from "./entities";
import { approvalList, proposalList } from "./lists";
import { sampleApprovals, sampleProposals } from "./sampleBookings";

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

test.each([
  { ...proposalList, rows: sampleProposals, textsOf: proposalTexts },
  { ...approvalList, rows: sampleApprovals, textsOf: approvalTexts },
] as const)("$name are found by any part of their ids, client or route, and by nothing else", (list) => {
  const { rows, textsOf, searchFields } = list as unknown as Searched;
  const search = createRowSearch(searchFields);
  fc.assert(
    fc.property(typed(rows.flatMap(textsOf)), (text) => {
      expect(search(rows, text)).toEqual(rows.filter((each) => contains(textsOf(each), text)));
    }),
  );
});

/** A list, whatever its rows are. */
interface Searched {
  rows: readonly object[];
  textsOf: (row: object) => readonly string[];
  searchFields: (row: object) => readonly string[];
}
