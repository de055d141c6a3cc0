export { formatJson, type JsonObject, parseJsonObject } from "@/shared/form/jsonText";
export { AddRecordPage } from "./AddRecordPage";
export type { FormValues, Identified, RecordApi, RecordDefinition } from "./definition";
export { editPath, pathsBelow, type RecordPaths, viewPath } from "./paths";
export { RecordListPage } from "./RecordListPage";
export { EditRecordPage, ViewRecordPage } from "./RecordPage";
export { listTexts, recordTexts } from "./texts";
export { asText, cutToMinute, readValues, textOrNull, writeValues } from "./wire";
