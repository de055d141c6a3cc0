import { type FieldPath, useFormContext } from "react-hook-form";
import type { RouteValues } from "./routeSchema";

/** What an input of the route's form needs: how it is registered, and its error while it has one. */
export function useRouteField(name: FieldPath<RouteValues>) {
  const { register, trigger, getFieldState, formState } = useFormContext<RouteValues>();
  // The form's own mode for this would find fault with a stop that has just been added.
  const { ref, ...registered } = register(name, { onBlur: () => trigger(name) });
  return { ref, registered, error: getFieldState(name, formState).error };
}
