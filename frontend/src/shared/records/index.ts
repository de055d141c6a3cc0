export { AddRecordPage } from "./AddRecordPage";
export { type FormValues, type Identified, type RecordDefinition, recordOf } from "./definition";
export { editPath, pathsBelow, type RecordPaths, viewPath } from "./paths";
export { RecordListPage } from "./RecordListPage";
export { EditRecordPage, ViewRecordPage } from "./RecordPage";
export { listTexts } from "./texts";
