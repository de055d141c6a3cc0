export { ChangeBadge } from "./ChangeBadge";
export {
  type Actor,
  type AuditedChange,
  actorName,
  type Change,
  type ChangeKind,
  changeTitle,
  type FieldChange,
  kindOf,
} from "./changes";
export { FieldChanges } from "./FieldChanges";
export { type FieldLabels, labelOf, namedChanges } from "./labels";
export { ValueText } from "./ValueText";
