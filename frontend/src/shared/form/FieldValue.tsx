import type { FieldValues } from "react-hook-form";
import { DateText } from "@/shared/format/DateText";
import type { FieldSpec } from "./fields";
import styles from "./form.module.css";

interface FieldValueProps<Values extends FieldValues> {
  spec: FieldSpec<Values>;
  value: string;
}

/** What a field holds, as people read it. */
export function FieldValue<Values extends FieldValues>({ spec, value }: FieldValueProps<Values>) {
  if (value === "") return <span className={styles.nothing}>–</span>;
  switch (spec.kind) {
    case "date":
      return <DateText date={value} />;
    case "timestamp":
      return <time dateTime={`${value}Z`}>{value} UTC</time>;
    case "json":
      return <code className={styles.code}>{value}</code>;
    default:
      return value;
  }
}
