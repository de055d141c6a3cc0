import { Notice } from "@/shared/ui";

interface ElsewhereNoticeProps {
  noun: string;
  /** What became of the record while it was being edited here. */
  what: "changed" | "deleted";
}

/** Above the form of a record: it is not any more what the form started from. */
export function ElsewhereNotice({ noun, what }: ElsewhereNoticeProps) {
  const isDeleted = what === "deleted";
  return (
    <Notice intent={isDeleted ? "warning" : "none"} role={isDeleted ? "alert" : "status"}>
      <p>
        <strong>
          This {noun} has been {what} elsewhere
        </strong>
      </p>
      {isDeleted
        ? "What you have typed is still here. It can be added again, or left with Cancel."
        : "What you have typed stays. When you save, both are merged; where the same field was changed, you will be asked."}
    </Notice>
  );
}
