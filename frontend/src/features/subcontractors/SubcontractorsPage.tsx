import { Star, StarEmpty } from "@blueprintjs/icons";
import { EmailLink, PhoneLink } from "@/shared/format/ContactLinks";
import { grouped } from "@/shared/format/counted";
import { initials } from "@/shared/format/initials";
import { formatRupees } from "@/shared/format/rupees";
import { StatusBadge } from "@/shared/ui";
import { CardsPage } from "@/shared/ui/CardsPage";
import {
  STATUS_LOOKS,
  type Subcontractor,
  sampleSubcontractors,
  subcontractorSearchFields,
} from "./subcontractors";
import styles from "./subcontractors.module.css";

export function SubcontractorsPage() {
  return (
    <CardsPage
      title="Subcontractors"
      subtitle="Subcontractor partnerships"
      addLabel="Add Subcontractor"
      plural="Subcontractors"
      items={sampleSubcontractors}
      searchPlaceholder="Search name, company or specialization..."
      searchFields={subcontractorSearchFields}
      cardOf={cardOf}
      buttons={["Edit", "Remove"]}
      buttonLabel={(button, name) => `${button} ${name}`}
    />
  );
}

function cardOf(subcontractor: Subcontractor) {
  const { name, company, status } = subcontractor;
  return {
    title: name,
    subtitle: company,
    mark: (
      <span className={styles.avatar} aria-hidden>
        {initials(name)}
      </span>
    ),
    badge: <StatusBadge {...STATUS_LOOKS[status]} />,
    facts: {
      Rating: <StarRating rating={subcontractor.rating} />,
      Specialization: subcontractor.specialization,
      Email: <EmailLink email={subcontractor.email} />,
      Phone: <PhoneLink number={subcontractor.phone} />,
      Location: subcontractor.location,
      "Contract Value": formatRupees(subcontractor.contractValue),
      "Jobs Completed": grouped.format(subcontractor.completedJobs),
    },
  };
}

/** A rating as five stars, as many of them full as the rounded rating (4.8 has five), and the exact figure. */
function StarRating({ rating }: { rating: number }) {
  return (
    <span className="fl-inline fl-middle fl-gap-8" role="img" aria-label={`${rating.toFixed(1)} of 5 stars`}>
      <span className={styles.stars}>
        {[1, 2, 3, 4, 5].map((position) =>
          position <= Math.round(rating) ? (
            <Star key={position} size={14} data-star="full" />
          ) : (
            <StarEmpty key={position} size={14} data-star="empty" />
          ),
        )}
      </span>
      <span>{rating.toFixed(1)}</span>
    </span>
  );
}
