import { MomentText } from "@/shared/format/MomentText";
import { type Actor, type AuditedChange, actorName, NoName } from "@/shared/history";
import styles from "./trail.module.css";

interface WhenAndWhoProps {
  change: AuditedChange;
  /** Somebody wants only this person's changes. */
  onPerson: (sub: string) => void;
}

/** How a line of the trail begins. */
export function WhenAndWho({ change, onPerson }: WhenAndWhoProps) {
  return (
    <>
      <div>
        <MomentText moment={change.moment} isExact />
      </div>
      <div className={styles.who}>
        <Person actor={change.actor} onPerson={onPerson} />
        <NoName of={change} />
      </div>
    </>
  );
}

function Person({ actor, onPerson }: Pick<WhenAndWhoProps, "onPerson"> & { actor: Actor | null }) {
  const name = actorName(actor);
  if (actor === null) return <span className={styles.unknown}>{name}</span>;
  return (
    <button
      type="button"
      className={styles.person}
      title={`Only changes by ${name}${name === actor.sub ? "" : ` (${actor.sub})`}`}
      onClick={() => onPerson(actor.sub)}
    >
      {name}
    </button>
  );
}
