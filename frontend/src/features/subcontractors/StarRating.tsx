import { Star, StarEmpty } from "@blueprintjs/icons";
import { fullStars, STARS } from "./subcontractors";
import styles from "./subcontractors.module.css";

/** A rating as five stars, each whole or empty, with the exact figure beside them. */
export function StarRating({ rating }: { rating: number }) {
  const full = fullStars(rating);
  return (
    <span className={styles.rating} role="img" aria-label={`${rating.toFixed(1)} of ${STARS} stars`}>
      <span className={styles.stars}>
        {POSITIONS.map((position) =>
          position <= full ? (
            <Star key={position} size={14} data-star="full" />
          ) : (
            <StarEmpty key={position} size={14} data-star="empty" />
          ),
        )}
      </span>
      <span className={styles.figure}>{rating.toFixed(1)}</span>
    </span>
  );
}

const POSITIONS = Array.from({ length: STARS }, (_, index) => index + 1);
