export { ChangeBadge } from "./ChangeBadge";
export {
  type Actor,
  type AuditedChange,
  actorName,
  type Change,
  type ChangeKind,
  changeTitle,
  type FieldChange,
  HIDDEN_VALUE,
  kindOf,
  type Masked,
} from "./changes";
export { FieldChanges } from "./FieldChanges";
export { type FieldLabels, labelOf, namedChanges } from "./labels";
export { isMasked, reasonText } from "./memberText";
export { RequestId } from "./RequestId";
export { ValueText } from "./ValueText";
