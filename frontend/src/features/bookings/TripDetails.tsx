import { CARGO_TYPES, COMMODITIES, labelOf } from "./cargo";
import { Detail, Details, Remark } from "./Details";
import type { ApprovalTrip, PickLists, ProposalTrip } from "./entities";

interface TripDetailsProps {
  trip: ProposalTrip | ApprovalTrip;
  pickLists: PickLists;
}

/** A trip to be read; of an approval's trip, what the approval adds as well. */
export function TripDetails({ trip, pickLists }: TripDetailsProps) {
  const horse = pickLists.horses.find(({ id }) => id === trip.horse);
  const driver = pickLists.drivers.find(({ id }) => id === trip.driver);
  const trailers = pickLists.trailers.filter(({ id }) => trip.trailers.includes(id));
  return (
    <Details>
      <Detail label="Horse">
        {horse?.name ?? trip.horse}
        {horse && <Remark>{horse.model}</Remark>}
      </Detail>
      <Detail label="Driver">
        {driver?.name ?? trip.driver}
        {driver && (
          <Remark>
            {driver.licence} · {driver.experience} years' experience · rating {driver.rating.toFixed(1)}
          </Remark>
        )}
      </Detail>
      <Detail label="Trailers">
        <ul>
          {trailers.map(({ id, name, type, capacity }) => (
            <li key={id}>
              {name}
              <Remark>
                {type} · {capacity} tons
              </Remark>
            </li>
          ))}
        </ul>
      </Detail>
      <Detail label="Tonnage">{trip.tonnage} tons</Detail>
      <Detail label="ETA">{trip.eta}</Detail>
      {"transportRate" in trip && <ApprovalDetails trip={trip} />}
    </Details>
  );
}

function ApprovalDetails({ trip }: { trip: ApprovalTrip }) {
  return (
    <>
      <Detail label="Transport Rate">${trip.transportRate.toFixed(2)} per ton</Detail>
      <Detail label="Transit Time (by client)">{trip.transitTime}</Detail>
      <Detail label="Commodity">{labelOf(COMMODITIES, trip.commodity)}</Detail>
      <Detail label="Type of Cargo">{labelOf(CARGO_TYPES, trip.cargoType)}</Detail>
      <Detail label="Place of Loading">{trip.placeOfLoading}</Detail>
      <Detail label="Place of Delivery">{trip.placeOfDelivery}</Detail>
    </>
  );
}
