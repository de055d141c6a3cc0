import { MomentText } from "@/shared/format/MomentText";
import { RecordLinks } from "@/shared/references/RecordLinks";
import type { WireAssignment } from "./assignments";

/** The time of an assignment: `21 Nov 2026, 9:30 am – open`. */
export function Time({ of: { starts_at, ends_at } }: { of: Pick<WireAssignment, "starts_at" | "ends_at"> }) {
  return (
    <>
      <MomentText moment={starts_at} /> – {ends_at === null ? "open" : <MomentText moment={ends_at} />}
    </>
  );
}

/** The records of an assignment, as links. */
export function Parties({ of: { horse, driver, trailers } }: { of: WireAssignment }) {
  return (
    <>
      <RecordLinks noun="horse" ids={[horse]} />
      {driver !== null && (
        <>
          , <RecordLinks noun="driver" ids={[driver]} />
        </>
      )}
      {trailers.length > 0 && (
        <>
          , <RecordLinks noun="trailer" ids={trailers} />
        </>
      )}
    </>
  );
}
