export { type FormValues, type Identified, type RecordDefinition, recordOf } from "./definition";
export { editPath, pathsBelow, type RecordPaths, viewPath } from "./paths";
