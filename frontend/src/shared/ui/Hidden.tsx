import { createContext, type ReactNode, use } from "react";
import { usePermission } from "@/shared/auth/permissions";
import styles from "./Hidden.module.css";
import { Notice } from "./Notice";

/** The text for a masked value. */
export const HIDDEN_TEXT = "Hidden";

/** The text for an erased value. */
export const ERASED_TEXT = "Erased";

/** Whether masked values of a record are erased. */
export const ErasedContext = createContext(false);

/** The placeholder of a masked value, as opposed to a missing one. */
export function Hidden({ text = HIDDEN_TEXT }: { text?: string }) {
  const isErased = use(ErasedContext);
  // For users with personal:read, only a restriction masks values.
  const isRestricted = usePermission("personal:read");
  if (isErased) return <Erased />;
  return (
    <span
      className={styles.hidden}
      title={
        isRestricted
          ? "This record is restricted: you need the privacy:restrict permission to see this"
          : "You need the personal:read permission to see this"
      }
    >
      {text}
    </span>
  );
}

export function Erased({ text = ERASED_TEXT }: { text?: string }) {
  return (
    <span className={styles.hidden} title="Erased permanently">
      {text}
    </span>
  );
}

/** The reason for masked values, above a record or a list (`isOfMany`). */
export function HiddenRemark({ isEditing = false, isOfMany = false }) {
  const isErased = use(ErasedContext);
  const isRestricted = usePermission("personal:read");
  if (isErased) return <Remark>Personal data has been erased.</Remark>;
  if (isRestricted && isOfMany) {
    return (
      <Remark>Some records are restricted: their personal data is hidden and they are read-only.</Remark>
    );
  }
  if (isRestricted) {
    return (
      <Notice role="status" intent="warning">
        Restricted: personal data is hidden and the record is read-only until the restriction is lifted.
      </Notice>
    );
  }
  return (
    <Remark>
      You need the personal:read permission to see personal data.
      {isEditing && " Saving keeps hidden values unchanged."}
    </Remark>
  );
}

function Remark({ children }: { children: ReactNode }) {
  return <p className={`fl-remark ${styles.remark}`}>{children}</p>;
}
