export {
  type FormValues,
  type Identified,
  type KindProps,
  type LoadedRecord,
  type RecordDefinition,
  type RecordProps,
  recordOf,
  recordPath,
} from "./definition";
export { editPath, pathsBelow, type RecordPaths, viewPath } from "./paths";
