export { ActorText, NoName } from "./ActorText";
export { ChangeBadge } from "./ChangeBadge";
export {
  type Actor,
  type AuditedChange,
  actorName,
  CHANGE_KINDS,
  type Change,
  type ChangeKind,
  changeTitle,
  ERASED_VALUE,
  type FieldChange,
  HIDDEN_VALUE,
  isEnd,
  isRestricting,
  kindOf,
  type Masked,
  UNKNOWN_VALUE,
} from "./changes";
export { FieldChanges } from "./FieldChanges";
export { type FieldLabels, labelOf, namedChanges } from "./labels";
export { isMasked, reasonText } from "./memberText";
export { RequestId } from "./RequestId";
export { ValueText } from "./ValueText";
