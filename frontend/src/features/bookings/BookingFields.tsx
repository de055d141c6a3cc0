import { Button } from "@blueprintjs/core";
import { Duplicate, Plus, Trash } from "@blueprintjs/icons";
import { useLayoutEffect, useMemo, useRef } from "react";
import { Section } from "@/shared/form/Section";
import {
  type BookingDraft,
  copiedToAll,
  requiredText,
  type TripDraft,
  type TripField,
  tripErrors,
  withoutTrip,
} from "./drafts";
import styles from "./forms.module.css";
import { SelectInput, TextInput } from "./inputs";
import { pickOptions } from "./pickOptions";
import { TrailersInput } from "./TrailersInput";
import { usePickLists } from "./useBookings";

interface BookingFieldsProps<Trip extends TripDraft> {
  draft: BookingDraft<Trip>;
  onChange: (draft: BookingDraft<Trip>) => void;
  newTrip: () => Trip;
  /** What a card is called, before its number: `Trip Proposal`. */
  tripTitle: string;
  /** What is asked about each trip. */
  fields: Readonly<Record<string, TripField>>;
  /** From the first refusal on, fields tell what is wrong with them. */
  isRefused: boolean;
}

/** What proposals and approvals ask for alike: route, client, and a card for each trip. */
export function BookingFields<Trip extends TripDraft>(props: BookingFieldsProps<Trip>) {
  const { draft, onChange, newTrip, tripTitle, fields, isRefused } = props;
  const { trips } = draft;
  const pickLists = usePickLists();
  const options = useMemo(() => pickOptions(pickLists), [pickLists]);
  const missing = (label: string, value: string) =>
    isRefused && value === "" ? requiredText(label) : undefined;
  const cards = useRef<HTMLDivElement>(null);
  /** Where to go on once the trips have changed: at the one added, or where one has been removed. */
  const next = useRef<number>(undefined);

  useLayoutEffect(() => {
    if (next.current === undefined) return;
    const card = cards.current?.children[Math.min(next.current, trips.length - 1)];
    card?.querySelector<HTMLElement>("[role='combobox']")?.focus();
    next.current = undefined;
  }, [trips]);

  const change = (key: string, changes: Readonly<Record<string, unknown>>) =>
    onChange({
      ...draft,
      trips: trips.map((trip) => (trip.key === key ? { ...trip, ...changes } : trip)),
    });
  const add = () => {
    next.current = trips.length;
    onChange({ ...draft, trips: [...trips, newTrip()] });
  };
  const remove = (key: string) => {
    next.current = trips.findIndex((trip) => trip.key === key);
    onChange({ ...draft, trips: withoutTrip(trips, key) });
  };

  return (
    <>
      <Section title="Booking">
        <div className={styles.grid}>
          <SelectInput
            label="Route"
            options={options.routes}
            value={draft.route}
            error={missing("Route", draft.route)}
            onChange={(route) => onChange({ ...draft, route })}
          />
          <SelectInput
            label="Client Organization"
            options={options.clients}
            value={draft.client}
            error={missing("Client Organization", draft.client)}
            onChange={(client) => onChange({ ...draft, client })}
          />
        </div>
      </Section>
      <div ref={cards} className="fl-stack">
        {trips.map((trip, index) => {
          const title = `${tripTitle} #${index + 1}`;
          const errors = isRefused ? tripErrors(trip, fields) : {};
          return (
            <div key={trip.key} className={styles.trip}>
              <Section title={title}>
                <div className={styles.tripGrid}>
                  {Object.entries(fields).map(([name, { label, options: choices, step, placeholder }]) => {
                    const value = trip[name as keyof TripDraft];
                    const input = { label, error: errors[name] };
                    const set = (changed: unknown) => change(trip.key, { [name]: changed });
                    const from = typeof choices === "string" ? options[choices] : choices;
                    if (typeof value !== "string") {
                      return (
                        <TrailersInput key={name} {...input} options={from} trailers={value} onChange={set} />
                      );
                    }
                    return from ? (
                      <SelectInput key={name} {...input} options={from} value={value} onChange={set} />
                    ) : (
                      <TextInput
                        key={name}
                        {...input}
                        {...{ step, placeholder }}
                        value={value}
                        onChange={set}
                      />
                    );
                  })}
                </div>
              </Section>
              {trips.length > 1 && (
                <div className={styles.tripActions}>
                  {index === 0 && (
                    <Button
                      variant="minimal"
                      icon={<Duplicate />}
                      text="Copy to all"
                      title="Gives all trips this one's values, but for horse, trailers and driver"
                      onClick={() => onChange({ ...draft, trips: copiedToAll(trips, fields) })}
                    />
                  )}
                  <Button
                    variant="minimal"
                    intent="danger"
                    icon={<Trash />}
                    aria-label={`Remove ${title}`}
                    onClick={() => remove(trip.key)}
                  />
                </div>
              )}
            </div>
          );
        })}
      </div>
      <div>
        <Button icon={<Plus />} text={`Add ${tripTitle}`} onClick={add} />
      </div>
    </>
  );
}
