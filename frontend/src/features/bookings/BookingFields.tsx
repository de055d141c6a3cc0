import { Button } from "@blueprintjs/core";
import { Cross, Duplicate, Plus, Trash } from "@blueprintjs/icons";
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";
import { Section } from "@/shared/form/Section";
import { TextField } from "@/shared/form/TextField";
import { counted } from "@/shared/format/counted";
import { formatDistance } from "@/shared/format/distance";
import styles from "./bookings.module.css";
import {
  type BookingDraft,
  copiedToAll,
  requiredText,
  type TripDraft,
  type TripField,
  tripErrors,
} from "./drafts";
import { type PickLists, samplePickLists } from "./samplePickLists";

interface BookingFieldsProps<Trip extends TripDraft> {
  draft: BookingDraft<Trip>;
  onChange: (draft: BookingDraft<Trip>) => void;
  newTrip: () => Trip;
  /** The card's title without its number, e.g. `Trip Proposal`. */
  tripTitle: string;
  fields: Readonly<Record<string, TripField>>;
  /** Whether the form was refused: fields then show their errors. */
  isRefused: boolean;
}

/** Route, client, and a card for each trip. */
export function BookingFields<Trip extends TripDraft>(props: BookingFieldsProps<Trip>) {
  const { draft, onChange, newTrip, tripTitle, fields, isRefused } = props;
  const { trips } = draft;
  const missing = (label: string, value: string) =>
    isRefused && value === "" ? requiredText(label) : undefined;
  const cards = useRef<HTMLDivElement>(null);
  /** Index of the card to focus after trips were added or removed. */
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
    onChange({ ...draft, trips: trips.filter((trip) => trip.key !== key) });
  };

  return (
    <>
      <Section title="Booking">
        <div className={styles.grid}>
          <SelectInput
            label="Route"
            options={OPTIONS.routes}
            value={draft.route}
            error={missing("Route", draft.route)}
            onChange={(route) => onChange({ ...draft, route })}
          />
          <SelectInput
            label="Client Organization"
            options={OPTIONS.clients}
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
                    const from = typeof choices === "string" ? OPTIONS[choices] : choices;
                    if (typeof value !== "string") {
                      return (
                        <TrailersInput key={name} {...input} options={from} trailers={value} onChange={set} />
                      );
                    }
                    return from ? (
                      <SelectInput key={name} {...input} options={from} value={value} onChange={set} />
                    ) : (
                      <TextField
                        key={name}
                        {...input}
                        {...(step !== undefined && { type: "number", inputMode: "decimal", min: 0, step })}
                        isRequired
                        placeholder={placeholder}
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
                      title="Copy all values except horse, trailers and driver to the other trips"
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

export function SelectInput({
  label,
  error,
  ...select
}: ComponentProps<typeof SearchableSelect> & { label: string; error?: string | undefined }) {
  return (
    <LabelledField label={label} isRequired error={error}>
      {(control) => <SearchableSelect {...select} {...control} />}
    </LabelledField>
  );
}

interface TrailersInputProps {
  label: string;
  options?: readonly SelectOption[] | undefined;
  trailers: readonly string[];
  onChange: (trailers: readonly string[]) => void;
  error: string | undefined;
}

/** A list of trailers with a select that offers those not added yet. */
function TrailersInput({ label, options = [], trailers, onChange, error }: TrailersInputProps) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = trailers.map((id) => options.find(({ value }) => value === id) ?? { value: id, label: id });
  const remove = (id: string) => {
    onChange(trailers.filter((trailer) => trailer !== id));
    // The focused button is removed with its trailer.
    box.current?.querySelector<HTMLElement>("[role='combobox']")?.focus();
  };

  return (
    <div ref={box} className="fl-shrink">
      <LabelledField label={label} isRequired error={error}>
        {(control) => (
          <SearchableSelect
            {...control}
            options={options.filter(({ value }) => !trailers.includes(value))}
            value=""
            onChange={(id) => onChange([...trailers, id])}
            placeholder="Add trailer..."
          />
        )}
      </LabelledField>
      <p className="fl-remark" role="status">
        {chosen.length === 0 ? "No trailers added yet" : `${counted(chosen.length, "trailer")} added`}
      </p>
      {chosen.length > 0 && (
        <ul className={styles.trailerList} aria-label="Trailers added">
          {chosen.map(({ value, label: name, description }) => (
            <li key={value}>
              <span>
                {name}
                {description && <span className="fl-remark">{description}</span>}
              </span>
              <Button
                variant="minimal"
                icon={<Cross />}
                aria-label={`Remove ${name}`}
                onClick={() => remove(value)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const { routes, clients, horses, trailers, drivers } = samplePickLists;

/** Options of the selects, by pick-list. */
const OPTIONS: Readonly<Record<keyof PickLists, readonly SelectOption[]>> = {
  routes: routes.map(({ id, name, startLocation, endLocation, distance }) =>
    option(id, name, `${startLocation} → ${endLocation}, ${formatDistance(distance)}`),
  ),
  // A booking stores the client's name.
  clients: clients.map(({ name, location, rating }) =>
    option(name, name, `${location}, rating ${rating.toFixed(1)}`),
  ),
  horses: horses.map(({ id, name, model, capacity }) => option(id, name, `${model}, ${capacity} tons`)),
  trailers: trailers.map(({ id, name, type, capacity }) => option(id, name, `${type}, ${capacity} tons`)),
  drivers: drivers.map(({ id, name, licence, experience, rating }) =>
    option(id, `${name} (${licence})`, `${experience} years' experience, rating ${rating.toFixed(1)}`),
  ),
};

function option(value: string, label: string, description: string): SelectOption {
  return { value, label, description };
}
