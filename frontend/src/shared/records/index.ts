export {
  type FormValues,
  type Identified,
  type KindProps,
  type RecordDefinition,
  recordOf,
} from "./definition";
export { editPath, pathsBelow, type RecordPaths, viewPath } from "./paths";
