export { MainArea, SkipLink } from "./MainArea";
export { NavEntry } from "./NavEntry";
export { PermittedPage } from "./PermittedPage";
