import { TONNAGE_STEP, type TripDraft, type TripErrors, withTrailer } from "./drafts";
import { SelectInput, TextInput } from "./inputs";
import type { PickOptions } from "./pickOptions";
import { TrailersInput } from "./TrailersInput";

export interface TripFieldsProps<Trip extends TripDraft> {
  trip: Trip;
  options: PickOptions;
  /** What to tell about the trip; nothing before the form has been refused. */
  errors: TripErrors<Trip>;
  onChange: (changes: Partial<Trip>) => void;
}

/** What is asked about every trip, proposed or approved. */
export function TripFields({ trip, options, errors, onChange }: TripFieldsProps<TripDraft>) {
  return (
    <>
      <SelectInput
        label="Horse (fleet)"
        options={options.horses}
        value={trip.horse}
        error={errors.horse}
        onChange={(horse) => onChange({ horse })}
      />
      <TrailersInput
        options={options.trailers}
        trailers={trip.trailers}
        error={errors.trailers}
        onAdd={(id) => onChange({ trailers: withTrailer(trip.trailers, id) })}
        onRemove={(id) => onChange({ trailers: trip.trailers.filter((trailer) => trailer !== id) })}
      />
      <SelectInput
        label="Driver"
        options={options.drivers}
        value={trip.driver}
        error={errors.driver}
        onChange={(driver) => onChange({ driver })}
      />
      <TextInput
        label="Tonnage (tons)"
        step={TONNAGE_STEP}
        value={trip.tonnage}
        error={errors.tonnage}
        onChange={(tonnage) => onChange({ tonnage })}
      />
      <TextInput
        label="ETA"
        placeholder="2-3 days"
        value={trip.eta}
        error={errors.eta}
        onChange={(eta) => onChange({ eta })}
      />
    </>
  );
}
