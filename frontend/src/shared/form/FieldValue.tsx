import { ExpiryDate } from "@/shared/expiry/ExpiryDate";
import { EmailLink, PhoneLink } from "@/shared/format/ContactLinks";
import { codeText } from "@/shared/format/codeText";
import { DateText } from "@/shared/format/DateText";
import { Hidden } from "@/shared/ui";
import type { FieldSpec } from "./fields";
import styles from "./form.module.css";

interface FieldValueProps {
  spec: FieldSpec;
  value: string;
  isHidden?: boolean;
}

/** A field's value for reading. */
export function FieldValue({ spec, value, isHidden = false }: FieldValueProps) {
  if (isHidden) return <Hidden />;
  if (value === "") return <span className="fl-muted">–</span>;
  switch (spec.kind) {
    case "date":
      return spec.expires ? <ExpiryDate validUpTo={value} /> : <DateText date={value} />;
    case "email":
      return <EmailLink email={value} />;
    case "tel":
      return <PhoneLink number={value} />;
    case "timestamp":
      return <time dateTime={`${value}Z`}>{value} UTC</time>;
    case "json":
      return <code className={styles.code}>{value}</code>;
    default:
      return spec.isCode ? codeText(value) : value;
  }
}
