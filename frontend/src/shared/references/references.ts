import { createContext, use } from "react";
import { generatePath } from "react-router";
import { driver, horse, location, trailer } from "@/shared/records/entities.gen";

/** The kinds of records that others refer to. */
export const KINDS = {
  driver: { path: driver.path, screens: "/management/drivers", nameIn: "name" },
  horse: { path: horse.path, screens: "/management/horses", nameIn: "identifier" },
  trailer: { path: trailer.path, screens: "/management/trailers", nameIn: "identifier" },
  location: { path: location.path, screens: "/management/locations", nameIn: "name" },
} as const;

export type ReferredNoun = keyof typeof KINDS;

/** Names of records by `noun:id`, as in answers with `names=true`; the others are shown by their ids. */
export type Names = Readonly<Record<string, string>>;

export const NO_NAMES: Names = {};

/** The names of the records that a screen refers to. */
export const NamesContext = createContext(NO_NAMES);

export function nameIn(names: Names | undefined, noun: ReferredNoun, id: string): string {
  return names?.[`${noun}:${id}`] || id;
}

/** Return a function that names a record. */
export function useNameOf(): (noun: ReferredNoun, id: string) => string {
  const names = use(NamesContext);
  return (noun, id) => nameIn(names, noun, id);
}

export function recordAddress(noun: ReferredNoun, id: string): string {
  return generatePath(`${KINDS[noun].screens}/:id`, { id });
}
