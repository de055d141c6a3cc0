export type { FieldSpec, SectionSpec } from "./fields";
export { RecordForm } from "./RecordForm";
export { RecordView } from "./RecordView";
