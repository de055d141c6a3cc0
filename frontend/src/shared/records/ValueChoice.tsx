import { Radio } from "@blueprintjs/core";
import { Fragment, type ReactNode, useId } from "react";
import { type FieldSpec, FieldValue } from "@/shared/form";
import styles from "./ConflictDialog.module.css";

interface ValueChoiceProps<Side extends string> {
  spec: FieldSpec;
  sides: readonly { side: Side; label: ReactNode; value: string }[];
  /** The value before the changes of both sides, if known. */
  original?: string | undefined;
  chosen: Side | undefined;
  error?: ReactNode;
  onChoose: (side: Side) => void;
}

/** Asks which side's value a field gets. */
export function ValueChoice<Side extends string>(props: ValueChoiceProps<Side>) {
  const { spec, sides, original, chosen, error, onChoose } = props;
  const errorId = useId();
  return (
    <fieldset className={styles.conflict}>
      <legend>{spec.label}</legend>
      {sides.map(({ side, label, value }, index) => (
        <Fragment key={side}>
          {index > 0 && original !== undefined && (
            <p className={styles.original}>
              <span className="fl-remark">Original value</span> <FieldValue spec={spec} value={original} />
            </p>
          )}
          <Radio
            name={spec.name}
            value={side}
            checked={chosen === side}
            onChange={() => onChoose(side)}
            className="fl-choice"
            aria-describedby={error ? errorId : undefined}
          >
            <span>
              <span className="fl-remark">{label}</span> <FieldValue spec={spec} value={value} />
            </span>
          </Radio>
        </Fragment>
      ))}
      {error && (
        <p id={errorId} className="fl-small fl-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
