import { Button } from "@blueprintjs/core";
import { Plus } from "@blueprintjs/icons";
import { type ReactNode, useMemo, useRef } from "react";
import { NoPastNotice } from "@/shared/asOf";
import { PrintButton } from "@/shared/print/PrintButton";
import { createRowSearch } from "@/shared/table/search";
import { TableSearch } from "@/shared/table/TableSearch";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { UnavailableButton } from "./buttons";
import styles from "./CardsPage.module.css";
import { Facts } from "./Facts";
import { PageHeader } from "./PageHeader";
import { EmptyState } from "./states";

interface Card {
  title: string;
  subtitle: string;
  /** Before the title, e.g. an avatar. */
  mark?: ReactNode;
  /** After the title, e.g. a status. */
  badge: ReactNode;
  facts: Readonly<Record<string, ReactNode>>;
}

interface CardsPageProps<Item> {
  title: string;
  subtitle: string;
  /** The button for a new record, which the specification gives no behaviour (section 2), like a card's buttons. */
  addLabel: string;
  items: readonly Item[];
  /** The records' name, e.g. `Clients`. */
  plural: string;
  searchPlaceholder: string;
  /** Constant: the searched texts. */
  searchFields: (item: Item) => readonly string[];
  cardOf: (item: Item) => Card;
  /** A card's buttons. */
  buttons: readonly string[];
  /** A button's accessible name. */
  buttonLabel: (button: string, title: string) => string;
}

/** Sample records of the management area as cards, with a search whose text is the query parameter `q`. */
export function CardsPage<Item extends { id: string }>(props: CardsPageProps<Item>) {
  const { title, subtitle, addLabel, plural, items, ...cards } = props;
  const { searchPlaceholder, searchFields, cardOf, buttons, buttonLabel } = cards;
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
      <PageHeader
        title={title}
        subtitle={subtitle}
        isSample
        back={{ to: "/management", label: "Back to Management" }}
        actions={<UnavailableButton icon={<Plus />} text={addLabel} />}
      />
      <NoPastNotice what={plural} />
      <div className={`fl-row ${styles.toolbar}`}>
        <TableSearch inputRef={input} value={search} placeholder={searchPlaceholder} onChange={setSearch} />
        <p className="fl-remark" role="status">
          {found.length} of {items.length}
        </p>
        <PrintButton
          isDisabled={found.length === 0}
          load={async () => {
            const { PrintedTable } = await import("@/shared/print/PrintDocument");
            const printed = found.map((item) => ({ ...cardOf(item), id: item.id }));
            const labels = Object.keys(printed[0]?.facts ?? {});
            return {
              title: plural,
              isWide: true,
              facts: {
                Note: "Sample data",
                Filter: search.trim() && `Search: ${search.trim()}`,
                Rows: String(found.length),
              },
              content: (
                <PrintedTable
                  columns={[
                    {
                      header: "Name",
                      cell: ({ title: name, subtitle: remark }) => (
                        <>
                          {name} <span className="fl-remark">{remark}</span>
                        </>
                      ),
                    },
                    { header: "Status", cell: ({ badge }) => badge },
                    ...labels.map((label) => ({ header: label, cell: ({ facts }: Card) => facts[label] })),
                  ]}
                  rows={printed}
                  keyOf={({ id }) => id}
                />
              ),
            };
          }}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState
          title={`No ${plural.toLowerCase()} found matching your search.`}
          action={search !== "" && <Button text="Clear search" onClick={clearSearch} />}
        />
      ) : (
        <ul className={styles.cards} aria-label={plural}>
          {found.map((item) => {
            const card = cardOf(item);
            return (
              <li key={item.id} className={`fl-card ${styles.card}`}>
                <div className={styles.head}>
                  {card.mark}
                  <div className="fl-fill">
                    <h2 className="fl-lead fl-strong fl-anywhere">{card.title}</h2>
                    <p className="fl-remark">{card.subtitle}</p>
                  </div>
                  {card.badge}
                </div>
                <Facts of={card.facts} />
                <div className={`fl-row ${styles.actions}`}>
                  {buttons.map((text) => (
                    <UnavailableButton key={text} text={text} aria-label={buttonLabel(text, card.title)} />
                  ))}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
