import { Import, Plus } from "@blueprintjs/icons";
import { useScreenActions } from "@/shared/actions";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { useListState } from "@/shared/table";
import { useFailureToast } from "@/shared/toast";
import { LinkButton, Loaded, PageHeader } from "@/shared/ui";
import type { RecordDefinition } from "./definition";
import { LongList } from "./LongList";
import { useSizedList } from "./useRecords";
import { WholeList } from "./WholeList";

interface RecordListPageProps {
  definition: RecordDefinition;
}

/** All records of a kind: figures, search, table, and what can be done with each. */
export function RecordListPage({ definition }: RecordListPageProps) {
  const { addressOf } = useAsOf();
  return (
    <Needs
      permissions={["fleet:read"]}
      to={`see ${definition.api.noun}s`}
      back={<LinkButton to={addressOf("/management")} text="Back to Management" />}
    >
      <PermittedList definition={definition} />
    </Needs>
  );
}

function PermittedList({ definition }: RecordListPageProps) {
  const { api, paths, list } = definition;
  const mayAdd = usePermission("fleet:write");
  const records = useSizedList(api);
  const { asOf, addressOf } = useAsOf();
  const state = useListState();
  useFailureToast(records.error, "Error", list?.texts.failedToast ?? "");
  const canAdd = list !== undefined && mayAdd && asOf === null;
  useScreenActions(canAdd ? [{ text: list.addLabel, icon: <Plus />, to: paths.add }] : []);
  if (list === undefined) return null;
  const { title, subtitle, addLabel } = list;
  return (
    <>
      <PageHeader
        title={title}
        subtitle={subtitle}
        back={{ to: addressOf("/management"), label: "Back to Management" }}
        actions={
          canAdd && (
            <>
              <LinkButton to={paths.import} state={state} icon={<Import />} text="Import" />
              <LinkButton to={paths.add} state={state} intent="primary" icon={<Plus />} text={addLabel} />
            </>
          )
        }
      />
      <Loaded query={records} what={`${api.noun}s`}>
        {(sized) =>
          "rows" in sized ? (
            <WholeList definition={definition} list={list} rows={sized.rows} />
          ) : (
            <LongList definition={definition} list={list} total={sized.total} />
          )
        }
      </Loaded>
    </>
  );
}
