import { Axle, Document, IdNumber, MapMarker } from "@blueprintjs/icons";
import type { ReactElement } from "react";
import { capitalized } from "@/shared/format/capitalized";
import type { Identified, RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { folded } from "@/shared/table/search";
import { TruckIcon } from "@/shared/ui";
import type { Entry } from "./entries";

const ICONS: Readonly<Record<string, ReactElement>> = {
  driver: <IdNumber />,
  trailer: <Axle />,
  horse: <TruckIcon />,
  location: <MapMarker />,
};

/**
 * A record as the palette lists it, by what this reader may know of it.
 * @param query what it was found by: that is shown beside its name.
 */
export function recordEntry(definition: RecordDefinition, wire: Identified, query: string): Entry {
  const { api, heading, searchFields } = definition;
  const { id } = wire;
  const title = heading(api.toValues(wire), id, api.hiddenIn(wire)).title || id;
  const words = searchFields(api.toRow(wire)).filter((text) => text !== "" && text !== title && text !== id);
  const asked = folded(query.trim());
  const telling = words.find((text) => asked !== "" && folded(text).includes(asked)) ?? words[0];
  return {
    ...placeOf(definition, id),
    title,
    words,
    detail: [...(title === id ? [] : [id]), ...(telling === undefined ? [] : [telling])].join(" · "),
  };
}

/** A record of which no more is known here than which it is. */
export function unknownEntry(definition: RecordDefinition, id: string): Entry {
  return { ...placeOf(definition, id), title: id, detail: capitalized(definition.api.noun) };
}

function placeOf({ api, paths }: RecordDefinition, id: string) {
  const to = viewPath(paths, id);
  return { key: to, to, id, icon: ICONS[api.noun] ?? <Document /> };
}
