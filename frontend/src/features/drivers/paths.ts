import { generatePath } from "react-router";

/** Where the driver screens are (specification, route table). */
export const LIST = "/management/drivers";
export const ADD = `${LIST}/add`;
export const VIEW = `${LIST}/:id`;
export const EDIT = `${LIST}/edit/:id`;

export const BACK_TO_LIST = { to: LIST, label: "Back to Drivers" };

export function viewPath(id: string): string {
  return generatePath(VIEW, { id });
}

export function editPath(id: string): string {
  return generatePath(EDIT, { id });
}
