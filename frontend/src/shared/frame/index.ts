export { RouteAnnouncer } from "./RouteAnnouncer";
export { SkipLink } from "./SkipLink";
export { useFocusOnNavigation } from "./useFocusOnNavigation";
