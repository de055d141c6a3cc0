import { Button } from "@blueprintjs/core";
import { Duplicate } from "@blueprintjs/icons";
import { useEffect, useState } from "react";
import { useSWRConfig } from "swr";
import { ApiError } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useAsOf } from "@/shared/asOf";
import { useMe, usePermission } from "@/shared/auth/permissions";
import { needText, WHOM_TO_ASK } from "@/shared/auth/refusal";
import {
  DUPLICATES_API,
  duplicatePermissions,
  isCompared,
  isDuplicatesPath,
  type Pair,
} from "@/shared/duplicates/duplicates";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { capitalized } from "@/shared/format/capitalized";
import { PermittedPage } from "@/shared/frame";
import type { RecordDefinition } from "@/shared/records";
import { MergeDialog } from "@/shared/records/merging/MergeDialog";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { EmptyState, Loaded } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { DismissDialog, useDismissal } from "./DismissDialog";
import { PairCard } from "./PairCard";

interface DuplicatesPageProps {
  kinds: readonly RecordDefinition[];
}

/** Pairs of records that may be the same, by kind. */
export function DuplicatesPage({ kinds }: DuplicatesPageProps) {
  const [params, update] = useAddressParams();
  const compared = kinds.filter(isCompared);
  const asked = compared.find(({ api }) => api.noun === params.get("type")) ?? compared[0];
  return (
    <PermittedPage
      permissions={["fleet:read"]}
      to="see possible duplicates"
      title="Possible Duplicates"
      subtitle="Records that may have been registered twice, likeliest first"
      ofThePresent="Possible duplicates"
    >
      <ScreenTabs
        id="duplicates"
        tabs={compared.map((definition) => ({
          id: definition.api.noun,
          title: `${capitalized(definition.api.noun)}s`,
          panel: <Permitted definition={definition} />,
        }))}
        open={asked?.api.noun ?? ""}
        onOpen={(type) => update({ type, page: null, dismissed: null })}
      />
    </PermittedPage>
  );
}

interface KindProps {
  definition: RecordDefinition;
}

function Permitted({ definition }: KindProps) {
  const { permissions } = useMe();
  const missing = duplicatePermissions(definition).filter((one) => !permissions.includes(one));
  if (missing.length === 0) return <Pairs key={definition.api.noun} definition={definition} />;
  const to = `see possible duplicates of ${definition.api.noun}s`;
  return <EmptyState title="Permission needed" message={`${needText(missing, to)} ${WHOM_TO_ASK}`} />;
}

const PAGE_SIZE = 20;

function Pairs({ definition }: KindProps) {
  const [params, update] = useAddressParams();
  const { asOf } = useAsOf();
  const isDismissed = params.get("dismissed") === "true";
  const asked = params.get("page") ?? "";
  const pageIndex = /^[1-9]\d{0,4}$/.test(asked) ? Number(asked) - 1 : 0;
  const goTo = (index: number) => update({ page: index > 0 ? String(index + 1) : null });
  const { noun } = definition.api;
  const path = `${DUPLICATES_API}?type=${noun}&dismissed=${isDismissed}&page=${pageIndex}&size=${PAGE_SIZE}`;
  const { data, error } = useApiQuery<Wire<"PossibleDuplicates">>(path, { keepPreviousData: true });
  const { mutate } = useSWRConfig();
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const mayMerge = usePermission("fleet:remove") && mayWrite;
  const [merging, setMerging] = useState<Pair>();
  const [dismissing, setDismissing] = useState<Pair>();
  const listAgain = useDismissal(definition);
  const lastPage = Math.max(1, data?.page.totalPages ?? 1) - 1;
  // The last pair of the last page may have been merged or dismissed.
  useEffect(() => {
    if (data?.content.length === 0 && data.page.number > lastPage)
      update({ page: lastPage ? String(lastPage + 1) : null });
  }, [data, lastPage, update]);
  const isUnavailable = error instanceof ApiError && error.status === 503;

  return (
    <div className="fl-stack">
      <div className="fl-narrow">
        <FilterChoice
          label="Show"
          all="Not dismissed"
          choices={[{ value: "true", label: "Dismissed" }]}
          value={isDismissed ? "true" : ""}
          onChange={(dismissed) => update({ dismissed: dismissed || null, page: null })}
        />
      </div>
      <Loaded
        query={{ data, error }}
        what="possible duplicates"
        {...(isUnavailable && { failed: "Possible duplicates cannot be listed now", message: error.message })}
        onRetry={() => void mutate(isDuplicatesPath)}
      >
        {({ content, page }) =>
          content.length === 0 ? (
            <EmptyState
              icon={<Duplicate size={24} />}
              title={isDismissed ? "Nothing dismissed" : "No possible duplicates"}
            />
          ) : (
            <>
              <ul className="fl-stack" aria-label="Possible duplicates">
                {content.map((pair) => (
                  <PairCard
                    key={`${pair.first.id} ${pair.second.id}`}
                    pair={pair}
                    definition={definition}
                    onMerge={mayMerge && pair.dismissed === null ? () => setMerging(pair) : undefined}
                    onDismiss={mayWrite && pair.dismissed === null ? () => setDismissing(pair) : undefined}
                    onListAgain={
                      mayWrite && pair.dismissed !== null ? () => void listAgain(pair, false) : undefined
                    }
                  />
                ))}
              </ul>
              <nav className="fl-flex fl-middle fl-gap-8 fl-muted" aria-label="Pages">
                <Button text="Previous" disabled={page.number === 0} onClick={() => goTo(page.number - 1)} />
                Page {page.number + 1} of {Math.max(1, page.totalPages)}
                <Button
                  text="Next"
                  disabled={page.number + 1 >= page.totalPages}
                  onClick={() => goTo(page.number + 1)}
                />
              </nav>
            </>
          )
        }
      </Loaded>
      {merging && (
        <MergeDialog
          definition={definition}
          ids={[merging.first.id, merging.second.id]}
          onClose={() => setMerging(undefined)}
        />
      )}
      {dismissing && (
        <DismissDialog definition={definition} pair={dismissing} onClose={() => setDismissing(undefined)} />
      )}
    </div>
  );
}
