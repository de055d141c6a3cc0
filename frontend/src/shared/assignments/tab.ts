import { lazy } from "react";
import type { RecordTab } from "@/shared/records/definition";

/** The tab of drivers, horses and trailers; the palette loads their definitions, too. */
export const assignmentsTab: RecordTab = {
  id: "assignments",
  title: "Assignments",
  Tab: lazy(async () => ({ default: (await import("./AssignmentsTab")).AssignmentsTab })),
};
