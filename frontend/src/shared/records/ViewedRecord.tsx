import { Button } from "@blueprintjs/core";
import { Edit } from "@blueprintjs/icons";
import { lazy, Suspense } from "react";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { type Permission, usePermission } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { LinkButton, LoadingState } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import type { RecordDefinition } from "./definition";
import { type Point, readVersion } from "./history/paths";
import { VersionBar } from "./history/VersionBar";
import { viewPath } from "./paths";
import { RecordDetails } from "./RecordDetails";
import { RecordFrame } from "./RecordFrame";
import { useRecord } from "./useRecords";

// What most readers do not open comes when they do.
const HistoryTab = lazy(async () => ({ default: (await import("./history/HistoryTab")).HistoryTab }));
const SeenByTab = lazy(async () => ({ default: (await import("./seen/SeenByTab")).SeenByTab }));

interface ViewedRecordProps {
  definition: RecordDefinition;
  id: string;
  /** Without it there is no edit button. */
  onEdit?: () => void;
  /** Whether the reader comes back from the form. */
  isBack?: boolean;
}

/**
 * A record to be read, its history and who has seen it, a tab each; the address says which (`tab=history`), and which
 * version.
 */
export function ViewedRecord(props: ViewedRecordProps) {
  const { definition, id } = props;
  const { asOf, addressOf } = useAsOf();
  const [params] = useAddressParams();
  const mayRead = usePermission("fleet:read");
  const tab = readTab(params);
  const isPast = asOf !== null || readVersion(params) !== undefined || tab === "history";
  const { noun } = definition.api;
  const toNow = <LinkButton to={viewPath(definition.paths, id)} text={`View ${capitalized(noun)}`} />;
  return (
    <Needs
      permissions={[...(isPast ? PAST : NOW), ...(tab === "seen" ? SEEN : [])]}
      to={
        tab === "seen"
          ? `see who has seen a ${noun}`
          : isPast
            ? `see the history of a ${noun}`
            : `see a ${noun}`
      }
      back={mayRead ? toNow : <LinkButton to={addressOf("/management")} text="Back to Management" />}
    >
      <PermittedRecord {...props} />
    </Needs>
  );
}

const NOW: readonly Permission[] = ["fleet:read"];
const PAST: readonly Permission[] = ["fleet:read", "history:read"];
const SEEN: readonly Permission[] = ["access-log:read"];

type TabId = "details" | "history" | "seen";

function readTab(params: URLSearchParams): TabId {
  const tab = params.get("tab");
  return tab === "history" || tab === "seen" ? tab : "details";
}

function PermittedRecord({ definition, id, onEdit, isBack = false }: ViewedRecordProps) {
  const mayWrite = usePermission("fleet:write");
  const seesHistory = usePermission(...PAST);
  const seesWhoLooked = usePermission(...SEEN);
  const { asOf } = useAsOf();
  const [params, update] = useAddressParams();
  const version = readVersion(params);
  const tab = readTab(params);
  const point: Point | undefined = version !== undefined ? { version } : asOf !== null ? { asOf } : undefined;
  const query = useRecord(
    definition.api,
    id,
    tab === "details" ? point : asOf !== null ? { asOf } : undefined,
  );
  const open = (chosen: TabId) => {
    update({ tab: chosen === "details" ? null : chosen, version: null, compare: null });
  };

  return (
    <RecordFrame
      definition={definition}
      id={id}
      query={query}
      notFound={point && notThere(definition.api.noun, version)}
      actions={
        onEdit &&
        mayWrite &&
        point === undefined && (
          <Button
            icon={<Edit />}
            intent="primary"
            text={definition.texts.edit}
            autoFocus={isBack}
            onClick={onEdit}
          />
        )
      }
      around={(content) => (
        <ScreenTabs
          id="record"
          tabs={[
            {
              id: "details" as const,
              title: "Details",
              panel: (
                <>
                  {version !== undefined && <VersionBar definition={definition} id={id} version={version} />}
                  {content}
                </>
              ),
            },
            ...(seesHistory
              ? [
                  {
                    id: "history" as const,
                    title: "History",
                    panel: (
                      <Opened label="Loading history..." Tab={HistoryTab} definition={definition} id={id} />
                    ),
                  },
                ]
              : []),
            ...(seesWhoLooked
              ? [
                  {
                    id: "seen" as const,
                    title: "Who has seen this",
                    panel: (
                      <Opened
                        label="Loading who has seen this..."
                        Tab={SeenByTab}
                        definition={definition}
                        id={id}
                      />
                    ),
                  },
                ]
              : []),
          ]}
          open={tab}
          onOpen={open}
        />
      )}
    >
      {(loaded) => <RecordDetails definition={definition} loaded={loaded} point={point} />}
    </RecordFrame>
  );
}

interface OpenedProps extends Pick<ViewedRecordProps, "definition" | "id"> {
  /** Said until its code is there. */
  label: string;
  Tab: typeof HistoryTab;
}

function Opened({ label, Tab, definition, id }: OpenedProps) {
  return (
    <Suspense fallback={<LoadingState label={label} />}>
      <Tab definition={definition} id={id} />
    </Suspense>
  );
}

function notThere(noun: string, version: number | undefined) {
  return version === undefined
    ? { title: `No such ${noun} then`, message: `At that moment there was no ${noun} with this id.` }
    : { title: `No ${noun} at this version`, message: "It was removed, or it never had this version." };
}
