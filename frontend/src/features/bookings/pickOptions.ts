import type { SelectOption } from "@/shared/form/SearchableSelect";
import { formatDistance } from "@/shared/format/distance";
import type { PickLists, Proposal } from "./entities";

/** The pick-lists as selects offer them. */
export function pickOptions({ routes, clients, horses, trailers, drivers }: PickLists) {
  return {
    routes: routes.map(({ id, name, startLocation, endLocation, distance }) =>
      option(id, name, `${startLocation} → ${endLocation}, ${formatDistance(distance)}`),
    ),
    // A booking names its client, so the name is what is chosen.
    clients: clients.map(({ name, location, rating }) =>
      option(name, name, `${location}, rating ${rating.toFixed(1)}`),
    ),
    horses: horses.map(({ id, name, model, capacity }) => option(id, name, `${model}, ${capacity} tons`)),
    trailers: trailers.map(({ id, name, type, capacity }) => option(id, name, `${type}, ${capacity} tons`)),
    drivers: drivers.map(({ id, name, licence, experience, rating }) =>
      option(id, `${name} (${licence})`, `${experience} years' experience, rating ${rating.toFixed(1)}`),
    ),
  } satisfies Record<keyof PickLists, readonly SelectOption[]>;
}

/** The proposals that an approval can be made of: approved ones only, found by id or client. */
export function approvedProposalOptions(proposals: readonly Proposal[]): readonly SelectOption[] {
  return proposals
    .filter(({ status }) => status === "approved")
    .map(({ id, clientOrganization }) => option(id, id, clientOrganization));
}

function option(value: string, label: string, description: string): SelectOption {
  return { value, label, description };
}
