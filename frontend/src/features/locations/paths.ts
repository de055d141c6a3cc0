import type { RecordPaths } from "@/shared/records/paths";

const LIST = "/management/routes";

/** Where the location screens are (product.md: screens); their list is a tab among the routes. */
export const locationPaths: RecordPaths = {
  list: LIST,
  added: (id) => `${LIST}?${new URLSearchParams({ tab: "locations", row: id })}`,
  add: "/management/locations/add",
  import: "/management/locations/import",
  view: "/management/locations/:id",
  edit: "/management/locations/:id/edit",
};
