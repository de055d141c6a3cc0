import type { RecordPaths } from "@/shared/records/paths";

/** Where the location screens are (specification, route table); their list is a tab among the routes. */
export const locationPaths: RecordPaths = {
  list: "/management/routes",
  add: "/management/locations/add",
  view: "/management/locations/:id",
  edit: "/management/locations/:id/edit",
};
