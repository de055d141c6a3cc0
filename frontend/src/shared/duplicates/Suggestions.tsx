import { Button } from "@blueprintjs/core";
import { Duplicate } from "@blueprintjs/icons";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useWatch } from "react-hook-form";
import { Link } from "react-router";
import type { FormValues } from "@/shared/form";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import type { RecordDefinition } from "@/shared/records/definition";
import { viewPath } from "@/shared/records/paths";
import { StatusBadge, useIsOnline } from "@/shared/ui";
import { comparedValues, findSimilar, type Suggestion, scoreText, toneOf } from "./duplicates";
import styles from "./duplicates.module.css";
import { Reasons } from "./Reasons";

/** Milliseconds of a pause in typing. */
export const PAUSE = 600;

export interface SuggestionsProps {
  definition: RecordDefinition;
  /** The record being edited. */
  id?: string;
  /** The form's initial values. */
  initial: FormValues;
  /** Where the form's bar shows their number, which is always in view. */
  slot: HTMLElement | null;
}

/** Records that are similar to what is typed into a form, below its fields; nothing above them moves. */
export function Suggestions({ definition, id, initial, slot }: SuggestionsProps) {
  const found = useSimilar(definition, id, initial);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const panel = useRef<HTMLDivElement>(null);
  const shown = found.filter((one) => !dismissed.has(one.id));
  const title = `${counted(shown.length, `similar ${definition.api.noun}`)}`;
  // The focused button is removed with its suggestion.
  const focus = () => panel.current?.focus();

  if (shown.length === 0) return null;
  return (
    <>
      {slot &&
        createPortal(
          <Button
            variant="minimal"
            icon={<Duplicate />}
            text={title}
            onClick={() => {
              focus();
              panel.current?.scrollIntoView?.({ block: "nearest" });
            }}
          />,
          slot,
        )}
      <div ref={panel} tabIndex={-1} className={styles.panel}>
        <Section title={`${title}: possibly registered already`}>
          <ul className="fl-stack">
            {shown.map((one) => (
              <li key={one.id} className={styles.suggestion}>
                <p className="fl-flex fl-wrap fl-middle fl-gap-8">
                  <Link to={viewPath(definition.paths, one.id)} target="_blank" className="fl-strong">
                    {one.name || one.id}
                  </Link>
                  {one.name && <span className="fl-muted">{one.id}</span>}
                  <StatusBadge label={scoreText(one)} tone={toneOf(one)} />
                  <Button
                    className="fl-end"
                    size="small"
                    text="Dismiss for this form"
                    aria-label={`Dismiss for this form: ${one.name || one.id}`}
                    onClick={() => {
                      setDismissed(new Set([...dismissed, one.id]));
                      focus();
                    }}
                  />
                </p>
                <Reasons of={one} definition={definition} />
              </li>
            ))}
          </ul>
        </Section>
      </div>
    </>
  );
}

/** Find similar records when typing pauses, once a compared field has been changed. */
function useSimilar(
  definition: RecordDefinition,
  id: string | undefined,
  initial: FormValues,
): readonly Suggestion[] {
  const typed = useWatch<FormValues>() as FormValues;
  const isOnline = useIsOnline();
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const values = comparedValues(definition, typed);
  const before = comparedValues(definition, initial);
  const isChanged = Object.entries(values).some(([name, text]) => text !== before[name]);
  const asked = isOnline && isChanged ? JSON.stringify(values) : undefined;

  useEffect(() => {
    if (asked === undefined) return setFound([]);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      findSimilar(definition, [{ id: id ?? null, values: JSON.parse(asked) }], abort.signal).then(
        ([similar = []]) => !abort.signal.aborted && setFound(similar),
        // Suggestions are optional: without an answer none are shown.
        () => !abort.signal.aborted && setFound([]),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [definition, id, asked]);

  return found;
}
