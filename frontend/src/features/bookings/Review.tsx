import { Button, TextArea } from "@blueprintjs/core";
import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import formStyles from "@/shared/form/form.module.css";
import { LabelledField } from "@/shared/form/LabelledField";
import { LeaveDialog, useLeaveGuard } from "@/shared/form/leaveGuard";
import { Section } from "@/shared/form/Section";
import { toast } from "@/shared/toast";
import styles from "./forms.module.css";
import { bookingPaths } from "./paths";

const COMMENTS_NEEDED = "Please provide comments when rejecting an approval.";

/** The decision about an approval. Only rejecting demands comments; neither is kept anywhere (section 4). */
export function Review({ approvalId }: { approvalId: string }) {
  const navigate = useNavigate();
  const [comments, setComments] = useState("");
  const [isRefused, setRefused] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBlank = comments.trim() === "";
  const isMissing = isRefused && isBlank;
  const guard = useLeaveGuard(!isBlank);

  const done = (title: string, message: string) => {
    toast.clear();
    toast.show({ title, message, intent: "success" });
    guard.release();
    navigate(bookingPaths.list);
  };
  const approve = () =>
    done("Approval Approved", `Booking approval ${approvalId} has been approved successfully.`);
  const reject = () => {
    if (!isBlank) {
      done("Approval Rejected", `Booking approval ${approvalId} has been rejected.`);
      return;
    }
    toast.clear();
    toast.show({ title: "Comments Required", message: COMMENTS_NEEDED, intent: "danger" });
    setRefused(true);
    field.current?.focus();
  };

  return (
    <>
      <Section title="Review">
        <LabelledField label="Comments" isRequired error={isMissing ? COMMENTS_NEEDED : undefined}>
          {(control) => (
            <TextArea
              {...control}
              className={styles.comments ?? ""}
              inputRef={field}
              fill
              autoResize
              intent={isMissing ? "danger" : "none"}
              value={comments}
              onChange={(event) => setComments(event.currentTarget.value)}
            />
          )}
        </LabelledField>
      </Section>
      <div className={formStyles.bar}>
        <Button text="Approve" intent="primary" onClick={approve} />
        <Button text="Reject" intent="danger" variant="outlined" onClick={reject} />
      </div>
      <LeaveDialog guard={guard} />
    </>
  );
}
