import { Clipboard, MapMarker, Office, Route, ThirdParty } from "@blueprintjs/icons";
import type { ReactElement } from "react";
import type { Approval, Proposal } from "@/features/bookings/entities";
import { approvalPath, proposalPath } from "@/features/bookings/paths";
import { sampleApprovals, sampleProposals } from "@/features/bookings/sampleBookings";
import { sampleClients } from "@/features/clients/clients";
import { routePath } from "@/features/routes/routes";
import { sampleRoutes } from "@/features/routes/sampleRoutes";
import { sampleSubcontractors } from "@/features/subcontractors/subcontractors";
import { sampleTrips } from "@/features/trips/sampleTrips";
import { tripPath } from "@/features/trips/trip";
import { isFound, searchText, soughtIn } from "@/shared/table/search";
import { detailOf, type Entry, type Group, type NamedText, ranked } from "./ranking";

type Fields = Readonly<Record<string, string | null>>;

interface Item extends Entry {
  id: string;
  fields: readonly NamedText[];
}

/** Sample data, which has no API; an API's search takes this module's place. */
const KINDS: readonly Group<Item>[] = [
  {
    heading: "Trips",
    items: sampleTrips.map(({ id, tripName, clientName, loadingPoint, deliveryPoint, driver, vehicle }) =>
      item(tripPath(id), id, tripName, <MapMarker />, {
        "Client Name": clientName,
        "Loading Point": loadingPoint,
        "Delivery Point": deliveryPoint,
        Driver: driver,
        Vehicle: vehicle,
      }),
    ),
  },
  {
    heading: "Bookings",
    items: [
      ...sampleProposals.map((proposal) => bookingItem(proposalPath(proposal.id), proposal, {})),
      ...sampleApprovals.map((approval) =>
        bookingItem(approvalPath(approval.id), approval, {
          "Proposal ID": approval.proposalId,
          Reviewer: approval.reviewer,
        }),
      ),
    ],
  },
  {
    heading: "Routes",
    items: sampleRoutes.map(({ id, name, description, startLocation, endLocation, segments }) =>
      item(routePath(id), id, name, <Route />, {
        Start: startLocation,
        End: endLocation,
        Stops: segments.map(({ to }) => to).join(", "),
        Description: description,
      }),
    ),
  },
  {
    heading: "Clients",
    items: sampleClients.map(({ id, companyName, contactPerson, email, phone, city }) =>
      item(searched("/management/clients", companyName), id, companyName, <Office />, {
        Contact: contactPerson,
        Email: email,
        Phone: phone,
        City: city,
      }),
    ),
  },
  {
    heading: "Subcontractors",
    items: sampleSubcontractors.map(({ id, name, company, specialization, email, phone, location }) =>
      item(searched("/management/subcontractors", name), id, name, <ThirdParty />, {
        Company: company,
        Specialization: specialization,
        Email: email,
        Phone: phone,
        Location: location,
      }),
    ),
  },
];

/** The records that match a query, at most `limit` of each kind. */
export function findSamples(query: string, limit: number): readonly Group[] {
  const sought = soughtIn(query);
  const found = KINDS.map(({ heading, items }) => ({
    heading,
    items: items.map((one) => ({ ...one, isFound: isFound(searchText(one.words ?? []), sought) })),
  }));
  return ranked(found, query).map(({ heading, items }) => ({
    heading,
    items: items.slice(0, limit).map((one) => ({ ...one, detail: detailOf(one, one.fields, query) })),
  }));
}

function item(to: string, id: string, title: string, icon: ReactElement, named: Fields): Item {
  const fields = Object.entries(named).flatMap(([label, text]) => (text ? [{ label, text }] : []));
  return { key: `sample ${id}`, to, id, title, icon, fields, words: fields.map(({ text }) => text) };
}

function bookingItem(to: string, { id, clientOrganization, route }: Proposal | Approval, more: Fields) {
  return item(to, id, id, <Clipboard />, {
    "Client Organization": clientOrganization,
    Route: route.name,
    ...more,
  });
}

/** Clients and subcontractors have no screens of their own: their list shows one of them. */
function searched(list: string, name: string): string {
  return `${list}?${new URLSearchParams({ q: name })}`;
}
