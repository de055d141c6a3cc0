export { AssignDialog, type AssignmentDraft } from "./AssignDialog";
export { intervalsPath, useIntervals, type WireAssignment } from "./assignments";
