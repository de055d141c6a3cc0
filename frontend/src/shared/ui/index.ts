export { ConfirmDialog } from "./ConfirmDialog";
export { LinkButton } from "./LinkButton";
export { PageHeader } from "./PageHeader";
export { StatCard, StatCards } from "./StatCards";
export { StatusBadge, type StatusTone } from "./StatusBadge";
export { EmptyState, ErrorState, LoadingState } from "./states";
export { ignoreStrayKeyUps } from "./strayKeyUps";
export { TruckIcon } from "./TruckIcon";
export { useDocumentTitle } from "./useDocumentTitle";
