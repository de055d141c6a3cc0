import { CARGO_TYPES, COMMODITIES } from "./cargo";
import { type ApprovalTripDraft, RATE_STEP } from "./drafts";
import { SelectInput, TextInput } from "./inputs";
import type { TripFieldsProps } from "./TripFields";

/** What an approval asks about a trip in addition. */
export function ApprovalTripFields({
  trip,
  errors,
  onChange,
}: Omit<TripFieldsProps<ApprovalTripDraft>, "options">) {
  return (
    <>
      <TextInput
        label="Transport Rate ($/ton)"
        step={RATE_STEP}
        value={trip.transportRate}
        error={errors.transportRate}
        onChange={(transportRate) => onChange({ transportRate })}
      />
      <SelectInput
        label="Commodity"
        options={COMMODITIES}
        value={trip.commodity}
        error={errors.commodity}
        onChange={(commodity) => onChange({ commodity })}
      />
      <SelectInput
        label="Type of Cargo"
        options={CARGO_TYPES}
        value={trip.cargoType}
        error={errors.cargoType}
        onChange={(cargoType) => onChange({ cargoType })}
      />
      <TextInput
        label="Transit Time (by client)"
        placeholder="3 days"
        value={trip.transitTime}
        error={errors.transitTime}
        onChange={(transitTime) => onChange({ transitTime })}
      />
      <TextInput
        label="Place of Loading"
        value={trip.placeOfLoading}
        error={errors.placeOfLoading}
        onChange={(placeOfLoading) => onChange({ placeOfLoading })}
      />
      <TextInput
        label="Place of Delivery"
        value={trip.placeOfDelivery}
        error={errors.placeOfDelivery}
        onChange={(placeOfDelivery) => onChange({ placeOfDelivery })}
      />
    </>
  );
}
