import { Button, ButtonGroup } from "@blueprintjs/core";
import { ChevronLeft, ChevronRight } from "@blueprintjs/icons";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSWRConfig } from "swr";
import { useAsOf } from "@/shared/asOf";
import type { AssignmentDraft, WireAssignment } from "@/shared/assignments";
import { AssignDialog } from "@/shared/assignments/LazyAssignDialog";
import { usePermission } from "@/shared/auth/permissions";
import { useNow } from "@/shared/format/useNow";
import { PermittedPage } from "@/shared/frame";
import { NamesContext } from "@/shared/references/references";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSearch } from "@/shared/table/TableSearch";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, Loaded, Notice, TruckIcon } from "@/shared/ui";
import { AssignmentDetails } from "./AssignmentDetails";
import { BoardGrid, type Wish } from "./BoardGrid";
import {
  type Bar,
  type Bars,
  dayOf,
  draftOf,
  frameText,
  KINDS,
  kinds,
  pathOf,
  readView,
  useBars,
  useRows,
} from "./board";
import styles from "./FleetBoardPage.module.css";
import { FreeFilter } from "./FreeFilter";
import { frameOf, LENGTHS, type Length } from "./geometry";

export function FleetBoardPage() {
  return (
    <PermittedPage
      permissions={["fleet:read"]}
      to="see the fleet"
      title="Fleet"
      subtitle="Who drives what, and who and what is free"
    >
      <Board />
    </PermittedPage>
  );
}

const EVERY_MINUTE = 60_000;
const LABELS: Readonly<Record<Length, string>> = { day: "Day", week: "Week", month: "Month" };
const isNarrow = () => window.matchMedia?.("(width < 768px)").matches ?? false;

/** An open dialog. */
type Opened =
  | { draft: AssignmentDraft; current: WireAssignment | undefined; names: Bars["names"] }
  | { bar: Bar };

function Board() {
  const [params, update] = useAddressParams();
  const { asOf } = useAsOf();
  const present = useNow(EVERY_MINUTE);
  const now = asOf === null ? present : Date.parse(asOf);
  const today = dayOf(now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view changes with the day, not with the minute
  const view = useMemo(() => readView(params, now, isNarrow()), [params, today]);
  const { kind, frame, free, search, pageIndex, pageSize } = view;
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const rows = useRows(view);
  const bars = useBars(kind, frame, rows.data?.rows);
  const [opened, setOpened] = useState<Opened>();
  const { mutate } = useSWRConfig();
  const { title, searchPlaceholder } = KINDS[kind];

  /** The rows change, and other pages and searches have other ones. */
  const set = (changes: Record<string, string | null>) => update({ ...changes, page: null });
  const move = (by: -1 | 0 | 1) =>
    update({ start: by === 0 ? null : dayOf(frameOf(frame.start, frame.length, by).start) });
  const zoom = (by: number) => {
    const length = LENGTHS[LENGTHS.indexOf(frame.length) + by];
    if (length) update({ length });
  };
  const names = { ...bars.data?.names };
  for (const row of rows.data?.rows ?? []) names[`${kind}:${row.id}`] = row.name;
  const wish = ({ row, span, before }: Wish) =>
    setOpened({
      draft: draftOf(kind, row.id, span, before && { bar: before.bar, row: before.row.id }),
      current: before?.bar.assignment,
      names,
    });
  // Rows that were free may not be any more.
  const reload = () => void mutate((key) => String(key).startsWith(`${pathOf(kind, undefined, "/api/v1")}?`));
  const close = () => setOpened(undefined);
  useFocusBack(opened !== undefined);
  const rowsError = rows.data === undefined || rows.isBehind ? rows.error : undefined;
  const failure = rowsError ?? (bars.data === undefined ? bars.error : undefined);
  const empty =
    search !== "" || free
      ? { title: "No results.", message: free ? "Nothing is free for the whole time." : undefined }
      : { title: `No ${title.toLowerCase()} yet` };

  return (
    <>
      <div className={`fl-row ${styles.tools}`}>
        <ButtonGroup role="group" aria-label="Rows">
          {kinds.map((one) => (
            <Button
              key={one}
              text={KINDS[one].title}
              aria-pressed={one === kind}
              onClick={() => set({ rows: one, q: null })}
            />
          ))}
        </ButtonGroup>
        <div className={styles.search}>
          <TableSearch
            key={kind}
            value={search}
            placeholder={searchPlaceholder}
            onChange={(q) => set({ q: q === "" ? null : q })}
          />
        </div>
        {asOf === null && (
          <FreeFilter
            from={params.get("free_from")}
            until={params.get("free_until")}
            onChange={(from, until) => set({ free_from: from, free_until: until })}
          />
        )}
      </div>
      <div className={`fl-row ${styles.tools}`}>
        <ButtonGroup>
          <Button icon={<ChevronLeft />} aria-label="Earlier" onClick={() => move(-1)} />
          <Button text="Today" onClick={() => move(0)} />
          <Button icon={<ChevronRight />} aria-label="Later" onClick={() => move(1)} />
        </ButtonGroup>
        <h2 className="fl-heading" aria-live="polite">
          {frameText(frame)}
        </h2>
        <ButtonGroup role="group" aria-label="Time shown" className="fl-end">
          {LENGTHS.map((length) => (
            <Button
              key={length}
              text={LABELS[length]}
              aria-pressed={length === frame.length}
              onClick={() => update({ length })}
            />
          ))}
        </ButtonGroup>
      </div>
      {bars.data?.isComplete === false && (
        <Notice role="status" intent="warning">
          <strong>Not all assignments are shown.</strong> Show fewer days or fewer rows.
        </Notice>
      )}
      <div className={`fl-card ${styles.board}`}>
        <Loaded
          query={{ data: failure === undefined ? rows.data : undefined, error: failure }}
          what="the fleet"
        >
          {(found) =>
            found.rows.length === 0 ? (
              <EmptyState icon={<TruckIcon size={24} />} {...empty} />
            ) : (
              <>
                <BoardGrid
                  label={`${title}, ${frameText(frame)}`}
                  rows={found.rows}
                  bars={bars.data}
                  {...{ kind, frame, now, free, mayWrite }}
                  onOpen={(bar) => setOpened({ bar })}
                  onWish={wish}
                  onMove={move}
                  onZoom={zoom}
                />
                <TableFoot
                  found={found.count}
                  selected={undefined}
                  pageIndex={pageIndex}
                  view={{
                    pageSize,
                    setPageIndex: (index) => update({ page: index > 0 ? String(index + 1) : null }),
                    setPageSize: (size) => set({ size: String(size) }),
                  }}
                />
              </>
            )
          }
        </Loaded>
      </div>
      {mayWrite && bars.data && (
        <p className="fl-remark">
          Choose free time to assign it, or an assignment to change it. A mouse can drag both. Press ? for
          keys.
        </p>
      )}
      {opened && "draft" in opened && <AssignDialog {...opened} onDone={reload} onClose={close} />}
      {opened && "bar" in opened && (
        <NamesContext value={names}>
          <AssignmentDetails
            assignment={opened.bar.assignment}
            now={now}
            mayWrite={mayWrite}
            onChange={() => setOpened({ draft: {}, current: opened.bar.assignment, names })}
            onEnded={() => {
              reload();
              close();
            }}
            onClose={close}
          />
        </NamesContext>
      )}
    </>
  );
}

/** Return the focus to the board's current cell after the last of several dialogs. */
function useFocusBack(isOpen: boolean) {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body)
      document.querySelector<HTMLElement>("[role='grid'] [data-active]")?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
}
