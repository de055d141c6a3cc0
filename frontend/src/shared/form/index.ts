export { FieldValue } from "./FieldValue";
export {
  askedFields,
  emptyValues,
  type FieldSpec,
  type FormValues,
  fieldsOf,
  type HiddenNames,
  listOf,
  NOTHING_HIDDEN,
  type Rule,
  type SectionBelow,
  type SectionSpec,
  wireName,
} from "./fields";
export { RecordForm } from "./RecordForm";
export { RecordView } from "./RecordView";
export type { SendKeyed } from "./useCommandKey";
export { SaveAbandoned } from "./useSubmit";
