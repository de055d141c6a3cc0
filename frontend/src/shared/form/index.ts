export { FieldValue } from "./FieldValue";
export { askedFields, type FieldSpec, type SectionSpec } from "./fields";
export { RecordForm } from "./RecordForm";
export { RecordView } from "./RecordView";
export type { SendKeyed } from "./useCommandKey";
export { SaveAbandoned } from "./useSubmit";
