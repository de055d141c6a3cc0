export type { AssignmentDraft } from "./AssignDialog";
export type { WireAssignment } from "./assignments";
export { intervalsPath, useIntervals } from "./intervals";
