import { Button, Switch } from "@blueprintjs/core";
import { Clipboard, Edit, EyeOpen, GitMerge, Trash } from "@blueprintjs/icons";
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { useScreenActions } from "@/shared/actions";
import { ApiError, isNotFound } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import {
  type Permission,
  PRIVACY_PERMISSIONS,
  permissionTo,
  useAnyPermission,
  usePermission,
} from "@/shared/auth/permissions";
import { isCompared } from "@/shared/duplicates/duplicates";
import { type FieldSpec, RecordView, wireName } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { formatMoment, MomentText } from "@/shared/format/MomentText";
import { actorName } from "@/shared/history";
import { isTyping } from "@/shared/keys";
import { PrintButton } from "@/shared/print/PrintButton";
import { RowNav } from "@/shared/table/RowNav";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { copyText, useFailureToast } from "@/shared/toast";
import { LinkButton, LoadingState, Notice } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type {
  KindProps,
  Listed,
  LoadedRecord,
  QuickChange,
  RecordDefinition,
  RecordProps,
} from "./definition";
import { HistoryTab } from "./history/HistoryTab";
import styles from "./history/history.module.css";
import { useAuthors } from "./history/useHistory";
import { VersionBar } from "./history/VersionBar";
import { mergedFrom, type Point, readVersion, useEditing, useListAddress, viewPath } from "./paths";
import { RestrictedNotice } from "./privacy/RestrictedNotice";
import { RecordFrame } from "./RecordFrame";
import { copyIdTexts } from "./texts";
import { useQuickChange } from "./useQuickChange";
import { useRecord } from "./useRecords";

// Tabs that most users do not open are loaded on demand. History is not one of them: React shows a fallback for 300 ms.
const PrivacyTab = lazy(async () => ({ default: (await import("./privacy/PrivacyTab")).PrivacyTab }));
const MergeDialog = lazy(async () => ({ default: (await import("./merging/MergeDialog")).MergeDialog }));
const SeenByTab = lazy(async () => ({ default: (await import("./seen/SeenByTab")).SeenByTab }));

/**
 * A record's details, now or at a past point, its history, views and privacy, a tab each; the address has the tab
 * (`tab=history`) and the version.
 */
export function ViewRecordPage({ definition }: KindProps) {
  const { id = "" } = useParams();
  const { asOf, addressOf } = useAsOf();
  const [params] = useAddressParams();
  const read = permissionTo("read", definition.api);
  const mayRead = usePermission(read);
  const tab = readTab(params, definition);
  const seesPrivacy = useAnyPermission(PRIVACY_PERMISSIONS);
  const isPast = asOf !== null || readVersion(params) !== undefined || tab === "history";
  const needed: Permission[] = [read];
  if (isPast) needed.push("history:read");
  if (tab === "seen") needed.push("access-log:read");
  if (tab === "privacy" && !seesPrivacy) needed.push("privacy:restrict");
  const { noun } = definition.api;
  const toNow = <LinkButton to={viewPath(definition.paths, id)} text={`View ${capitalized(noun)}`} />;
  return (
    <Needs
      permissions={needed}
      to={`${(isPast && tab === "details" ? TO.history : TO[tab]) ?? TO.details} a ${noun}`}
      back={mayRead ? toNow : <LinkButton to={addressOf("/management")} text="Back to Management" />}
    >
      <PermittedRecord key={id} id={id} definition={definition} />
    </Needs>
  );
}

/** By tab: completes "You need permission to … a driver". */
const TO: Readonly<Record<string, string>> = {
  details: "see",
  history: "see the history of",
  seen: "see who has seen",
  privacy: "manage the personal data of",
};

function readTab(params: URLSearchParams, { tabs = [] }: RecordDefinition): string {
  const tab = params.get("tab") ?? "";
  return Object.hasOwn(TO, tab) || tabs.some(({ id }) => id === tab) ? tab : "details";
}

function PermittedRecord({ definition, id }: RecordProps) {
  const seesHistory = usePermission(permissionTo("read", definition.api), "history:read");
  const seesWhoLooked = usePermission("access-log:read");
  const seesPrivacy = useAnyPermission(PRIVACY_PERMISSIONS);
  const { asOf, addressOf } = useAsOf();
  const navigate = useNavigate();
  const listAddress = useListAddress(definition.paths);
  const { api, list, tabs = [] } = definition;
  const [deleting, setDeleting] = useState<Listed | null>(null);
  const [params, update] = useAddressParams();
  const version = readVersion(params);
  const asked = readTab(params, definition);
  const moment: Point | undefined = asOf !== null ? { asOf } : undefined;
  const point: Point | undefined = version !== undefined ? { version } : moment;
  const found = useRecord(api, id, asked === "details" ? point : moment);
  // The address of a merged record leads to its survivor; its own history stays.
  const survivor = found.data && found.data.id !== id ? found.data.id : undefined;
  const query = survivor === undefined ? found : MERGED;
  const former = mergedFrom(useLocation().state);
  // Not once the merge is undone.
  const isMerged = useRecord(api, former).data?.id === id;
  // A removed record has a privacy tab only, for users who manage personal data.
  const isGone = seesPrivacy && point === undefined && isNotFound(query.error);
  const tab = isGone && asked === "details" ? "privacy" : asked;
  const open = (chosen: string) => {
    update({ tab: chosen === "details" ? null : chosen, version: null, compare: null }, true);
  };

  const details = (content: ReactNode) => ({
    id: "details",
    title: "Details",
    panel: (
      <>
        {former !== undefined && isMerged && point === undefined && (
          <Notice
            role="status"
            action={
              seesHistory && (
                <LinkButton
                  to={`${viewPath(definition.paths, former)}?tab=history`}
                  text={`View History of ${former}`}
                />
              )
            }
          >
            {former} was merged into this record.
          </Notice>
        )}
        {seesPrivacy && <RestrictedNotice definition={definition} id={id} />}
        {version !== undefined && <VersionBar definition={definition} id={id} version={version} />}
        {content}
      </>
    ),
  });
  const opened = (tabId: string, title: string, label: string, Tab: ComponentType<RecordProps>) => ({
    id: tabId,
    title,
    panel: (
      // While the tab's code is loading.
      <Suspense fallback={<LoadingState label={label} />}>
        <Tab definition={definition} id={id} />
      </Suspense>
    ),
  });

  const further = [
    ...tabs.map(({ id: tabId, title, Tab }) => opened(tabId, title, "Loading...", Tab)),
    ...(seesHistory ? [opened("history", "History", "Loading history...", HistoryTab)] : []),
    ...(seesWhoLooked
      ? [opened("seen", "Who has seen this", "Loading who has seen this...", SeenByTab)]
      : []),
    ...(seesPrivacy ? [opened("privacy", "Privacy", "Loading the data held...", PrivacyTab)] : []),
  ];
  const copyId = copyIdTexts(api.noun);
  const offered = [
    { text: copyId.text, icon: <Clipboard />, onSelect: () => void copyText(id, copyId.done) },
    ...further.map((one) => ({ text: `View ${one.title}`, icon: <EyeOpen />, onSelect: () => open(one.id) })),
  ];
  useScreenActions(query.data === undefined ? [] : offered);
  if (survivor !== undefined && asked === "details" && point === undefined) {
    return <Navigate to={viewPath(definition.paths, survivor)} replace state={{ merged: id }} />;
  }

  return (
    <>
      <RecordFrame
        definition={definition}
        id={id}
        query={query}
        missingAction={
          seesHistory &&
          point === undefined && (
            <LinkButton
              key="history"
              to={`${viewPath(definition.paths, id)}?tab=history`}
              text="View History"
            />
          )
        }
        missingTitle={tab === "details" ? undefined : id}
        notFound={point && notThere(api.noun, version)}
        nav={
          <RowNav
            key="nav"
            id={id}
            noun={api.noun}
            hrefOf={(other) => {
              const path = viewPath(definition.paths, other);
              return addressOf(asked === "details" ? path : `${path}?tab=${asked}`);
            }}
          />
        }
        actions={
          point === undefined &&
          query.data && (
            <RecordActions
              key="actions"
              definition={definition}
              loaded={query.data}
              onDelete={({ wire }) => setDeleting(api.toRow(wire))}
            />
          )
        }
        around={(content, isMissing) =>
          isMissing && tab === "details" && point === undefined ? (
            content
          ) : (
            <ScreenTabs
              id="record"
              tabs={[...(isGone ? [] : [details(content)]), ...further]}
              open={tab}
              onOpen={open}
            />
          )
        }
      >
        {(loaded) => <RecordDetails definition={definition} loaded={loaded} point={point} />}
      </RecordFrame>
      {list && (
        <DeleteRecordDialog
          definition={definition}
          list={list}
          row={deleting}
          onClose={() => setDeleting(null)}
          // Back must not lead to the deleted record.
          onDeleted={() => navigate(listAddress, { replace: true })}
        />
      )}
    </>
  );
}

/** The query for a merged record: as for a removed one. */
const MERGED = { data: undefined, error: new ApiError(404, {}, []) };

function notThere(noun: string, version: number | undefined) {
  return version === undefined
    ? { title: `No ${noun} at that moment`, message: `No ${noun} with this ID existed at that moment.` }
    : { title: `No ${noun} at this version`, message: `The ${noun} was removed, or never had this version.` };
}

interface RecordActionsProps extends KindProps {
  loaded: LoadedRecord;
  onDelete: (record: LoadedRecord) => void;
}

/** Buttons of a record's page. */
function RecordActions({ definition, loaded, onDelete }: RecordActionsProps) {
  const { api, paths, texts, list, quickChanges = [], Actions } = definition;
  const mayWrite = usePermission(permissionTo("write", api));
  const mayRemove = usePermission(permissionTo("remove", api));
  const { edit, isBack } = useEditing(paths, loaded.id);
  const [isMerging, setMerging] = useState(false);
  const navigate = useNavigate();
  const editing = useRef<HTMLButtonElement>(null);
  // Only restricted or erased records are masked for users who may read personal data.
  const mayReadPersonal = usePermission("personal:read");
  const isHidden = mayReadPersonal && loaded.hidden.size > 0;
  const isRestricted = isHidden && loaded.wire.erased === undefined;
  const canDelete = list !== undefined && mayRemove && !isRestricted;
  const canEdit = mayWrite && !isHidden;
  const canMerge = canEdit && canDelete && isCompared(definition);
  const merge = () => setMerging(true);
  useScreenActions([
    ...(canEdit ? [{ text: texts.edit, icon: <Edit />, onSelect: edit }] : []),
    ...(canMerge ? [{ text: "Merge with…", icon: <GitMerge />, onSelect: merge }] : []),
    ...(canDelete ? [{ text: list.texts.delete, icon: <Trash />, onSelect: () => onDelete(loaded) }] : []),
  ]);
  useEffect(() => {
    if (isBack && !isTyping()) editing.current?.focus();
  }, [isBack]);
  return (
    <>
      {canDelete && (
        <Button
          icon={<Trash />}
          intent="danger"
          variant="outlined"
          text={list.texts.delete}
          onClick={() => onDelete(loaded)}
        />
      )}
      {canMerge && <Button icon={<GitMerge />} text="Merge with…" onClick={merge} />}
      {isMerging && (
        <Suspense fallback={null}>
          <MergeDialog
            definition={definition}
            ids={[loaded.id]}
            onMerged={(id) => id !== loaded.id && navigate(viewPath(paths, id), { replace: true })}
            onClose={() => setMerging(false)}
          />
        </Suspense>
      )}
      {canEdit && Actions && <Actions loaded={loaded} />}
      {canEdit &&
        quickChanges
          .filter(({ field, value, applies = (values) => values[field] !== value }) => applies(loaded.values))
          .map((quick) => (
            <QuickChangeButton key={quick.text} definition={definition} loaded={loaded} quick={quick} />
          ))}
      {canEdit && <Button ref={editing} icon={<Edit />} intent="primary" text={texts.edit} onClick={edit} />}
    </>
  );
}

interface QuickChangeProps extends KindProps {
  loaded: LoadedRecord;
  quick: QuickChange;
}

/** A button that changes one field. */
function QuickChangeButton({ definition, loaded, quick }: QuickChangeProps) {
  const { isBusy, change } = useQuickChange(definition);
  const { icon, text } = quick;
  return <Button icon={icon} text={text} loading={isBusy} onClick={() => void change(quick, () => loaded)} />;
}

interface RecordDetailsProps extends KindProps {
  loaded: LoadedRecord;
  point: Point | undefined;
}

/** A record's fields, optionally with the last change of each. */
function RecordDetails({ definition, loaded, point }: RecordDetailsProps) {
  const { api, heading, sections, Remarks } = definition;
  const { id, values, hidden } = loaded;
  const [isAnnotated, setAnnotated] = useState(false);
  const mayAnnotate = usePermission("history:read");
  const { authors, error } = useAuthors(api, id, point, isAnnotated && mayAnnotate);
  useFailureToast(error, "Error", "Failed to load who changed each field. Please try again.");
  const noteOf = (field: FieldSpec) => {
    // An object is changed as a whole.
    const [name = ""] = wireName(field).split(".");
    const author = authors?.get(name);
    if (!author || author.version === null || author.moment === null) return undefined;
    return (
      <>
        {actorName(author.actor)}, <MomentText moment={author.moment} /> (v{author.version})
      </>
    );
  };
  const content = <RecordView sections={sections} values={values} hidden={hidden} noteOf={noteOf} />;
  return (
    <>
      <div className={styles.tools}>
        {mayAnnotate && (
          <Switch
            className={styles.switch ?? ""}
            role="switch"
            label="Show who last changed each field"
            checked={isAnnotated}
            onChange={(event) => setAnnotated(event.currentTarget.checked)}
          />
        )}
        <PrintButton
          size="small"
          load={async () => ({
            title: `${capitalized(api.noun)}: ${heading(values, id, hidden).title || id}`,
            facts: {
              ID: id,
              Version: point && "version" in point && String(point.version),
              "As of": point && "asOf" in point && formatMoment(point.asOf, true),
            },
            content,
          })}
        />
      </div>
      {point === undefined && Remarks && <Remarks loaded={loaded} />}
      {content}
    </>
  );
}
