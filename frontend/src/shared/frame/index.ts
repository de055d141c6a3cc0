export { NavEntry } from "./NavEntry";
export { RouteAnnouncer } from "./RouteAnnouncer";
export { SkipLink } from "./SkipLink";
export { useFocusOnNavigation } from "./useFocusOnNavigation";
