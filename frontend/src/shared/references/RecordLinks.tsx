import { Fragment } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { type ReferredNoun, recordAddress, useNameOf } from "./references";

interface RecordLinksProps {
  noun: ReferredNoun;
  ids: readonly string[];
}

/** Links to records by their names. */
export function RecordLinks({ noun, ids }: RecordLinksProps) {
  const nameOf = useNameOf();
  const { addressOf } = useAsOf();
  return ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 && ", "}
      <Link to={addressOf(recordAddress(noun, id))} title={id}>
        {nameOf(noun, id)}
      </Link>
    </Fragment>
  ));
}
