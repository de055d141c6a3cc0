import { generatePath } from "react-router";

/** Where the routes' screens are (product.md: screens); patterns as the router reads them. */
export const routePaths = {
  list: "/management/routes",
  add: "/management/routes/add",
  view: "/management/routes/:id",
} as const;

/** The address of one route. */
export function routePath(id: string): string {
  return generatePath(routePaths.view, { id });
}
