import { expect, test } from "vitest";
import type { Approval, Proposal } from "./entities";
import { approvalList, proposalList } from "./lists";
import { sampleApprovals, sampleProposals } from "./sampleBookings";

test("proposals are searched by id, client and route", () => {
  const proposal = sampleProposals[0] as Proposal;
  const { id, clientOrganization, route } = proposal;
  expect(proposalList.searchFields(proposal)).toEqual([id, clientOrganization, route.name]);
});

test("approvals are searched by their id, the proposal's id, client and route", () => {
  const approval = sampleApprovals[0] as Approval;
  const { id, proposalId, clientOrganization, route } = approval;
  expect(approvalList.searchFields(approval)).toEqual([id, proposalId, clientOrganization, route.name]);
});
