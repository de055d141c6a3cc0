import { Button } from "@blueprintjs/core";
import { type ReactNode, useMemo, useRef } from "react";
import { createRowSearch } from "@/shared/table/search";
import { TableSearch } from "@/shared/table/TableSearch";
import { useAddressParams } from "@/shared/table/useAddressParams";
import styles from "./SearchedCards.module.css";
import { EmptyState } from "./states";

interface SearchedCardsProps<Item> {
  /** The list's accessible name, e.g. `Clients`. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  searchPlaceholder: string;
  /** Constant: the texts the search looks through. */
  searchFields: (item: Item) => readonly string[];
  /** Shown where the search finds nothing. */
  emptyText: string;
  /** What is in an item's card; its heading is an `h2`. */
  children: (item: Item) => ReactNode;
}

/** Records as cards, with a search that lives in the address (`q`) as a table's does. */
export function SearchedCards<Item extends object>(props: SearchedCardsProps<Item>) {
  const { label, items, keyOf, searchPlaceholder, searchFields, emptyText, children } = props;
  const [params, update] = useAddressParams();
  const search = params.get("q") ?? "";
  const setSearch = (text: string) => update({ q: text === "" ? null : text });
  const searchItems = useMemo(() => createRowSearch(searchFields), [searchFields]);
  const found = useMemo(() => searchItems(items, search), [searchItems, items, search]);
  const input = useRef<HTMLInputElement>(null);

  const clearSearch = () => {
    setSearch("");
    input.current?.focus();
  };

  return (
    <>
      <div className={styles.toolbar}>
        <TableSearch inputRef={input} value={search} placeholder={searchPlaceholder} onChange={setSearch} />
        <p className={styles.count} role="status">
          {found.length} of {items.length}
        </p>
      </div>
      {found.length === 0 ? (
        <EmptyState
          title={emptyText}
          action={search !== "" && <Button text="Clear search" onClick={clearSearch} />}
        />
      ) : (
        <ul className={styles.cards} aria-label={label}>
          {found.map((item) => (
            <li key={keyOf(item)} className={styles.card}>
              {children(item)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface CardHeadProps {
  title: string;
  subtitle: string;
  /** Before the title, e.g. an avatar. */
  mark?: ReactNode;
  /** After the title, e.g. a status. */
  badge: ReactNode;
}

/** The top of a card. */
export function CardHead({ title, subtitle, mark, badge }: CardHeadProps) {
  return (
    <div className={styles.head}>
      {mark}
      <div className={styles.titles}>
        <h2 className={styles.title}>{title}</h2>
        <p className={styles.subtitle}>{subtitle}</p>
      </div>
      {badge}
    </div>
  );
}

/** A card's buttons, at its bottom however long the neighbours are. */
export function CardActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
