import { useApiQuery } from "@/shared/api/useApiQuery";
import { Loaded } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";

/** What the API lists of a schema. */
interface Schema {
  type: string;
  description: string;
  dataschema: string;
}

const columns: readonly PlainColumn<Schema>[] = [
  {
    header: "Type",
    kind: "code",
    cell: ({ type, dataschema }) => <a href={dataschema}>{type}</a>,
  },
  // What follows is the same for all of them.
  { header: "What it tells", cell: ({ description }) => description.split(/(?<=\.) /)[0] },
];

/** The types of events that there are, each leading to its schema. */
export function Schemas() {
  const query = useApiQuery<{ content: readonly Schema[] }>("/api/v1/schemas");
  return (
    <Loaded query={query} what="schemas">
      {({ content }) => (
        <PlainTable label="Schemas" columns={columns} rows={content} rowKey={({ type }) => type} hasCards />
      )}
    </Loaded>
  );
}
