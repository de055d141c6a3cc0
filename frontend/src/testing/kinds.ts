import type { RouteObject } from "react-router";
import { assignmentRoutes } from "@/features/assignments/routes";
import { driverDefinition } from "@/features/drivers/definition";
import { driverRoutes } from "@/features/drivers/routes";
import { horseDefinition } from "@/features/horses/definition";
import { horseRoutes } from "@/features/horses/routes";
import { locationDefinition } from "@/features/locations/definition";
import { locationRoutes } from "@/features/locations/routes";
import { subscriptionDefinition } from "@/features/notifications/definition";
import { notificationRoutes } from "@/features/notifications/routes";
import { trailerDefinition } from "@/features/trailers/definition";
import { trailerRoutes } from "@/features/trailers/routes";
import { assignmentDefinition } from "@/shared/assignments/definition";
import type { z } from "@/shared/config/zod";
import { emptyValues, type FormValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import type { RecordDefinition } from "@/shared/records";
import * as entities from "@/shared/records/entities.gen";
import type { Entity, Identified, Listed } from "@/shared/records/fields";
import { recordServer } from "./recordServer";

/* Examples of each kind of record, for tests of its screens. */

interface Example<Wire> {
  entity: Entity;
  routes: RouteObject[];
  wire: Wire;
  /** The id the server generates for a new record. */
  newId: string;
  /** Whether a single record has no wrapper. */
  isBare?: boolean;
}

function tested<Wire extends Identified, Values extends FormValues, Row extends Listed>(
  definition: RecordDefinition<Wire, Values, Row>,
  { entity, routes, wire: example, newId, isBare = false }: Example<Wire>,
) {
  const { api, sections, paths } = definition;
  const empty = emptyValues(sections) as Values;
  const schema = schemaOf(sections) as unknown as z.ZodMiniType<Values, Values>;
  const declared = Object.entries(entity.fields);
  const own = Object.fromEntries(Object.entries(example).filter(([name]) => entity.fields[name]?.readOnly));
  /** A record in the API's format, with differences. */
  const wire = (differences: Partial<Wire> = {}): Wire => {
    const given = { ...example, ...differences };
    return { ...given, ...(api.toWire(empty, undefined) as Wire), ...given };
  };
  return {
    noun: entity.noun,
    ...{ definition, routes, api, sections, paths, empty, schema, wire },
    /** The record with the additional names of the API's list. */
    listed: (differences: Partial<Wire> = {}): Wire => {
      const record = wire(differences);
      const names = declared.flatMap(([path, { listName }]) =>
        listName === undefined ? [] : [[listName, valueAt(record, path)]],
      );
      return { ...record, ...Object.fromEntries(names) };
    },
    /** Names of the fields with personal data, including those of lists. */
    personal: declared
      .filter(([, { personal }]) => personal)
      .flatMap(([path, { listName }]) => (listName === undefined ? path : [path, listName]))
      .filter((name) => !name.includes(".")),
    /** The form's error texts by field. */
    messages: (values: Values): Record<string, string> => {
      const issues = schema.safeParse(values).error?.issues ?? [];
      return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
    },
    /** A mock of the API. */
    server: (records: readonly Wire[] = []) =>
      recordServer<Wire>(
        {
          path: entity.path,
          ...(!isBare && { wrapper: `${entity.noun}_by_pk` }),
          searched: declared.filter(([, { searched }]) => searched).map(([path]) => path),
          complete: (body) => ({ ...example, ...body, ...own, id: body.id ?? newId }),
        },
        records,
      ),
  };
}

function valueAt(record: object, path: string): unknown {
  const member = (value: unknown, name: string) => (value as Record<string, unknown> | null)?.[name] ?? null;
  return path.split(".").reduce(member, record);
}

export const drivers = tested(driverDefinition, {
  entity: entities.driver,
  routes: driverRoutes,
  newId: "EMP-NEW",
  wire: {
    id: "EMP-001",
    name: "Ravi Kumar",
    address_1: "12 Station Road",
    address_2: null,
    city: "Nagpur",
    country: "India",
    mobile_number_1: "+91 98765 43210",
    mobile_number_2: null,
    email_address: "ravi.kumar@example.com",
    father_name: "Mohan Kumar",
    passport_number: "P1234567",
    passport_expiry_date: "2031-05-04",
    driving_license_number: "MH31 20190001234",
    driving_license_expiry: "2030-02-01",
    bank_account_number: "001234567890",
    bank_name: "State Bank of India",
    bank_address: "Sitabuldi, Nagpur",
    ifsc_code: "SBIN0000432",
    swift_code: null,
  },
});

/** Drivers with consecutive names and employee numbers. */
export function manyDrivers(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(3, "0");
    return drivers.wire({ id: `EMP-${number}`, name: `Driver ${number}` });
  });
}

export const trailers = tested(trailerDefinition, {
  entity: entities.trailer,
  routes: trailerRoutes,
  newId: "TR-NEW",
  wire: {
    id: "TR-001",
    identifier: "LB-001",
    trailer_registration_number: "MH31AB1234",
    owner_name: "Buch Trailer Service",
    type: "LOW_BED",
    status: "Available",
    capacity_tons: 40,
    axles: 3,
    no_of_tyres: 12,
    name_of_country: "India",
    purchase_date: "2019-11-02",
    registered_at: "2019-11-20",
    ownership_type: "LEASED",
    description_1: "Hydraulic ramps",
    description_2: null,
    description_3: null,
    description_4: null,
    description_5: null,
    data: { currentLocation: "Nagpur", lastMaintenance: "2026-09-12" },
  },
});

export const horses = tested(horseDefinition, {
  entity: entities.horse,
  routes: horseRoutes,
  newId: "HRS-NEW",
  isBare: true,
  wire: {
    id: "HRS-0001",
    chassis_number: "MAT127DFYRW544589",
    engine_number: "ISBE6.7-94431068",
    hired: "No",
    identifier: "Prima 5530.S #001",
    owner: "Pandit Roadlines",
    metadata: { make: "Tata", year: 2024 },
    description: null,
    created_at: "2026-11-20T06:10:04.929Z",
    updated_at: "2026-11-21T17:45:59.001Z",
  },
});

export const locations = tested(locationDefinition, {
  entity: entities.location,
  routes: locationRoutes,
  newId: "LOC-NEW",
  wire: {
    id: "LOC-0001",
    name: "Kochi depot",
    lat: 9.9312,
    longitude: 76.2673,
    country: "India",
    location_type: "WAREHOUSE",
    attributes: { city: "Kochi", state: "Kerala", postalCode: null, status: "Active", capacity: 40 },
    created_at: "2026-11-20T06:10:04.929Z",
    updated_at: "2026-11-21T17:45:59.001Z",
  },
});

export const assignments = tested(assignmentDefinition, {
  entity: entities.assignment,
  routes: assignmentRoutes,
  newId: "ASG-NEW",
  isBare: true,
  wire: {
    id: "ASG-0001",
    horse: "HRS-0001",
    driver: "EMP-001",
    trailers: ["TR-001"],
    starts_at: "2026-11-20T06:00:00.000Z",
    ends_at: null,
    location: null,
    note: null,
    confirmed: [],
    created_at: "2026-11-20T06:10:04.929Z",
    updated_at: "2026-11-21T17:45:59.001Z",
  },
});

export const subscriptions = tested(subscriptionDefinition, {
  entity: entities.subscription,
  routes: notificationRoutes,
  newId: "SUB-NEW",
  isBare: true,
  wire: {
    id: "SUB-0001",
    name: "Fuel system",
    content: "events",
    entity_types: ["driver"],
    event_kinds: [],
    filter: [],
    channel: "webhook",
    recipients: [],
    url: "https://hooks.example.com/fleet",
    schedule: "at_once",
    hour: 7,
    time_zone: "Asia/Kolkata",
    status: "active",
    secret_generation: 2,
    created_at: "2026-11-20T06:10:04.929Z",
    updated_at: "2026-11-21T17:45:59.001Z",
  },
});
