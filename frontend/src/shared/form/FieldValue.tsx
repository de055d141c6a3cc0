import type { ReactNode } from "react";
import { ExpiryDate } from "@/shared/expiry/ExpiryDate";
import { EmailLink, PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { RecordLinks } from "@/shared/references/RecordLinks";
import { Hidden } from "@/shared/ui";
import { type FieldSpec, listOf, shownText } from "./fields";
import styles from "./form.module.css";

/** A field's value for reading. */
export function FieldValue({ spec, value }: { spec: FieldSpec; value: string }) {
  if (value === "") return <span className="fl-muted">{spec.noneText ?? "–"}</span>;
  if (spec.refersTo) return <RecordLinks noun={spec.refersTo} ids={listOf(value)} />;
  switch (spec.kind) {
    case "date":
      return spec.expires ? <ExpiryDate validUpTo={value} /> : <DateText date={value} />;
    case "email":
      return <EmailLink email={value} />;
    case "tel":
      return <PhoneLink number={value} />;
    case "timestamp":
      return <time dateTime={`${value}Z`}>{value} UTC</time>;
    case "moment":
      return <MomentText moment={value} />;
    case "json":
      return <code className={styles.code}>{value}</code>;
    default:
      return shownText(spec, value);
  }
}

interface ReadOnlyFieldProps {
  spec: FieldSpec;
  value: string;
  isHidden: boolean;
  note?: ReactNode;
}

/** A value for reading, in a description list. */
export function ReadOnlyField({ spec, value, isHidden, note }: ReadOnlyFieldProps) {
  return (
    <div className={styles.field} data-wide={spec.wide || undefined}>
      <dt className={styles.label}>{spec.label}</dt>
      <dd className={styles.value}>{isHidden ? <Hidden /> : <FieldValue spec={spec} value={value} />}</dd>
      {note && <dd className={styles.note}>{note}</dd>}
    </div>
  );
}
