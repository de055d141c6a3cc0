import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { permissionTo } from "@/shared/auth/permissions";
import { emptyValues, RecordForm } from "@/shared/form";
import { PermittedPage } from "@/shared/frame";
import type { KindProps } from "./definition";
import { useListAddress, useRowAddress, viewPath } from "./paths";
import { SimilarRecords } from "./SimilarRecords";
import { useRecordCommands } from "./useRecordCommands";
import { useReportAdded } from "./useReportAdded";

/** The form of a kind of record in add mode. */
export function AddRecordPage({ definition }: KindProps) {
  const { api, texts, paths, sections } = definition;
  const listAddress = useListAddress(paths);
  const { add } = useRecordCommands(definition);
  const navigate = useNavigate();
  const { asOf } = useAsOf();
  const rowAddress = useRowAddress(paths);
  const report = useReportAdded(definition);
  const added = useRef("");
  const [count, setCount] = useState(0);
  const initial = emptyValues(sections);

  return (
    <PermittedPage
      permissions={[permissionTo("write", api)]}
      to={`add a ${api.noun}`}
      title={texts.add}
      back={{ to: listAddress, label: texts.back }}
      stays
    >
      {asOf !== null ? (
        <ReadOnlyPast />
      ) : (
        <RecordForm
          // Another form for another record.
          key={count}
          label={`Add ${api.noun}`}
          sections={sections}
          initial={initial}
          isExisting={false}
          submitLabel={texts.add}
          busyLabel="Adding..."
          save={async (values, keyed) => {
            const saved = await keyed(values, (key) => add(values, key));
            added.current = saved.id;
            report(saved, values);
          }}
          addressOf={(id) => viewPath(definition.paths, id)}
          failureTitle={texts.addFailed}
          failureMessage={texts.saveFailed}
          onSaved={() => navigate(rowAddress(added.current))}
          onSavedAgain={() => setCount(count + 1)}
          onCancel={() => navigate(listAddress)}
          below={(slot) => <SimilarRecords definition={definition} initial={initial} slot={slot} />}
        />
      )}
    </PermittedPage>
  );
}
