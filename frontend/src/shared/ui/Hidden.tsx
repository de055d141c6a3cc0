import { createContext, type ReactNode, use } from "react";
import { usePermission } from "@/shared/auth/permissions";
import styles from "./Hidden.module.css";
import { Notice } from "./Notice";

/** What stands for a value that the server keeps back, where there is room for text alone. */
export const HIDDEN_TEXT = "Hidden";

/** What stands for a value that is nowhere any more. */
export const ERASED_TEXT = "Erased";

/** Around a record of which what is not shown is erased. */
export const ErasedContext = createContext(false);

/** Stands where a value is that this reader may not see, which is not the same as none. */
export function Hidden({ text = HIDDEN_TEXT }: { text?: string }) {
  const isErased = use(ErasedContext);
  // Nothing else keeps values back from whoever may see personal data.
  const isRestricted = usePermission("personal:read");
  if (isErased) return <Erased />;
  return (
    <span
      className={styles.hidden}
      title={isRestricted ? RESTRICTED : "You need the permission personal:read to see this"}
    >
      {text}
    </span>
  );
}

const RESTRICTED = "This record is restricted: you need the permission privacy:restrict to see this";

/** Stands where a value was that has been erased. */
export function Erased({ text = ERASED_TEXT }: { text?: string }) {
  return (
    <span className={styles.hidden} title="It has been erased: nobody can see it any more">
      {text}
    </span>
  );
}

interface HiddenRemarkProps {
  isEditing?: boolean;
  /** It is about some records among many. */
  isOfMany?: boolean;
}

/** Above what has hidden values: why, for those who have no pointer to rest on one. */
export function HiddenRemark({ isEditing = false, isOfMany = false }: HiddenRemarkProps) {
  const isErased = use(ErasedContext);
  const isRestricted = usePermission("personal:read");
  if (isErased) return <Remark>What was personal has been erased.</Remark>;
  if (isRestricted && isOfMany) {
    return (
      <Remark>
        Some of these are restricted: their personal data is hidden, and they cannot be changed.
      </Remark>
    );
  }
  if (isRestricted) {
    return (
      <Notice role="status" intent="warning">
        Restricted: personal data is hidden, and nothing can be changed until that is lifted.
      </Notice>
    );
  }
  return (
    <Remark>
      Personal data is hidden from you: seeing it needs the permission personal:read.
      {isEditing && " What is hidden stays as it is when you save."}
    </Remark>
  );
}

function Remark({ children }: { children: ReactNode }) {
  return <p className={`fl-remark ${styles.remark}`}>{children}</p>;
}
