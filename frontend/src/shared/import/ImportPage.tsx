import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { capitalized } from "@/shared/format/capitalized";
import { PermittedPage } from "@/shared/frame";
import type { KindProps } from "@/shared/records";
import { useListAddress } from "@/shared/records/paths";
import { LoadingState, Notice } from "@/shared/ui";
import { ColumnsStep } from "./ColumnsStep";
import { FileStep } from "./FileStep";
import { ProgressStep } from "./ProgressStep";
import { ResultsStep } from "./ResultsStep";
import { type StepProps, sessionOf } from "./session";

/** Imports records from a file: file, columns, preview, results. */
export function ImportPage({ definition }: KindProps) {
  const listAddress = useListAddress(definition.paths);
  const { asOf } = useAsOf();
  const { api, texts } = definition;
  return (
    <PermittedPage
      permissions={["fleet:write"]}
      to={`import ${api.noun}s`}
      title={`Import ${capitalized(api.noun)}s`}
      back={{ to: listAddress, label: texts.back }}
      stays
    >
      {asOf !== null ? <ReadOnlyPast /> : <Steps definition={definition} session={sessionOf(definition)} />}
    </PermittedPage>
  );
}

function Steps(props: StepProps) {
  const step = useStore(props.session.store, (state) => state.step);
  const problem = useStore(props.session.store, (state) => state.problem);
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  // The button that led to a new step has disappeared.
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    content.current?.focus({ preventScroll: true });
  }, [step]);
  return (
    <div ref={content} tabIndex={-1} className="fl-stack fl-no-ring">
      {problem !== undefined && (
        <Notice role="alert" intent="danger">
          {problem}
        </Notice>
      )}
      {step === "file" && <FileStep {...props} />}
      {step === "reading" && <LoadingState label="Reading the file..." />}
      {step === "columns" && <ColumnsStep {...props} />}
      {(step === "checking" || step === "importing") && <ProgressStep {...props} />}
      {(step === "checked" || step === "ended") && <ResultsStep {...props} />}
    </div>
  );
}
