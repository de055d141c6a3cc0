import { useRef, useState } from "react";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { TextField } from "./TextField";

/** A required reason for a command. */
export function useReason() {
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return {
    field: (
      <TextField
        label="Reason"
        isRequired
        error={isMissing ? "Enter a reason." : undefined}
        inputRef={input}
        maxLength={MAX_REASON}
        value={reason}
        onChange={(text) => {
          setReason(text);
          setMissing(false);
        }}
      />
    ),
    /** Return the trimmed reason; without one, point out that it is missing, and return undefined. */
    read: () => {
      const given = reason.trim();
      setMissing(given === "");
      if (given === "") input.current?.focus();
      return given || undefined;
    },
  };
}
