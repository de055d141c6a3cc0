import { Button } from "@blueprintjs/core";
import { Duplicate } from "@blueprintjs/icons";
import { useId } from "react";
import { copyText } from "@/shared/toast";
import styles from "./eventStream.module.css";
import type { Way } from "./waysToConnect";

/** What to type, with a button that copies it. */
export function Command({ title, does, command }: Way) {
  const id = useId();
  return (
    <section className={styles.command} aria-labelledby={id}>
      <div className={styles.head}>
        <h3 id={id} className={styles.title}>
          {title}
        </h3>
        <Button
          size="small"
          icon={<Duplicate />}
          text="Copy"
          aria-label={`Copy command: ${title}`}
          onClick={() => void copyText(command, "Command copied")}
        />
      </div>
      <p className="fl-muted">{does}</p>
      <pre
        className={styles.code}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is too wide, arrow keys scroll it
        tabIndex={0}
      >
        <code>{command}</code>
      </pre>
    </section>
  );
}
