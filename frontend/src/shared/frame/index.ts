export { MainArea } from "./MainArea";
export { NavEntry } from "./NavEntry";
export { PermittedPage } from "./PermittedPage";
export { SkipLink } from "./SkipLink";
