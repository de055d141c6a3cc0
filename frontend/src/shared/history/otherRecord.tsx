import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import type { Change } from "./changes";

type AboutTwo = Pick<Change, "source" | "into" | "other">;

/** Return the other record of a change that is about two, and the word between it and the change's title. */
export function otherRecord({ source, into, other }: AboutTwo): { word: string; id: string } | undefined {
  if (source) return { word: "with ", id: source };
  if (into) return { word: "into ", id: into };
  return other ? { word: "of ", id: other } : undefined;
}

interface OtherRecordTextProps {
  change: AboutTwo;
  /** Returns a record's address. */
  pathOf: (id: string) => string | undefined;
}

/** The other record of a change that is about two, with a link to its history. */
export function OtherRecordText({ change, pathOf }: OtherRecordTextProps) {
  const { addressOf } = useAsOf();
  const { word, id } = otherRecord(change) ?? {};
  if (id === undefined) return null;
  const path = pathOf(id);
  return (
    <span className="fl-links">
      {" "}
      {word}
      {path === undefined ? id : <Link to={addressOf(`${path}?tab=history`)}>{id}</Link>}
    </span>
  );
}
