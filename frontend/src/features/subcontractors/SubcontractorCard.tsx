import { Button } from "@blueprintjs/core";
import { EmailText } from "@/shared/format/EmailText";
import { formatRupees } from "@/shared/format/rupees";
import { StatusBadge } from "@/shared/ui";
import { Fact, Facts } from "@/shared/ui/Facts";
import { CardActions, CardHead } from "@/shared/ui/SearchedCards";
import { StarRating } from "./StarRating";
import { initialsOf, STATUS_LOOKS, type Subcontractor } from "./subcontractors";
import styles from "./subcontractors.module.css";

const grouped = new Intl.NumberFormat("en-IN");

/** One subcontractor. Its buttons do nothing yet: so the specification has it (section 2). */
export function SubcontractorCard({ subcontractor }: { subcontractor: Subcontractor }) {
  const { name, company, status } = subcontractor;
  return (
    <>
      <CardHead
        title={name}
        subtitle={company}
        mark={
          <span className={styles.avatar} aria-hidden>
            {initialsOf(name)}
          </span>
        }
        badge={<StatusBadge {...STATUS_LOOKS[status]} />}
      />
      <Facts>
        <Fact label="Rating">
          <StarRating rating={subcontractor.rating} />
        </Fact>
        <Fact label="Specialization">{subcontractor.specialization}</Fact>
        <Fact label="Email">
          <EmailText email={subcontractor.email} />
        </Fact>
        <Fact label="Phone">{subcontractor.phone}</Fact>
        <Fact label="Location">{subcontractor.location}</Fact>
        <Fact label="Contract Value">{formatRupees(subcontractor.contractValue)}</Fact>
        <Fact label="Jobs Completed">{grouped.format(subcontractor.completedJobs)}</Fact>
      </Facts>
      <CardActions>
        <Button text="Edit" aria-label={`Edit ${name}`} />
        <Button text="Remove" aria-label={`Remove ${name}`} />
      </CardActions>
    </>
  );
}
