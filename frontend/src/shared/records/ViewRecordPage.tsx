import { useParams } from "react-router";
import type { RecordDefinition } from "./definition";
import { ViewedRecord } from "./ViewedRecord";

/** A record to be read, now or at a point of its past, and its history; its button leads to its form. */
export function ViewRecordPage({ definition }: { definition: RecordDefinition }) {
  const { id = "" } = useParams();
  return <ViewedRecord key={id} id={id} definition={definition} isEditable />;
}
