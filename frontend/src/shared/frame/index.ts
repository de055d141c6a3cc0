export { MainArea } from "./MainArea";
export { NavEntry } from "./NavEntry";
export { SkipLink } from "./SkipLink";
