import { CARGO_TYPES, COMMODITIES, labelOf } from "./cargo";
import { Detail, Details, Remark } from "./Details";
import type { ApprovalTrip, PickLists, ProposalTrip } from "./entities";

interface TripDetailsProps {
  trip: ProposalTrip | ApprovalTrip;
  pickLists: PickLists;
}

/** A trip to be read; of an approval's trip, what the approval adds as well. */
export function TripDetails({ trip, pickLists }: TripDetailsProps) {
  const isApprovals = "transportRate" in trip;
  const horse = pickLists.horses.find(({ id }) => id === trip.horse);
  const driver = pickLists.drivers.find(({ id }) => id === trip.driver);
  return (
    // What a proposal says of a trip fits on one line.
    <Details columns={isApprovals ? 4 : 5}>
      <Detail label="Horse">
        {horse?.name ?? trip.horse}
        {horse && <Remark>{horse.model}</Remark>}
      </Detail>
      <Detail label="Driver">
        {driver?.name ?? trip.driver}
        {driver && (
          <>
            <Remark>{driver.licence}</Remark>
            <Remark>
              {driver.experience} years' experience, rating&nbsp;{driver.rating.toFixed(1)}
            </Remark>
          </>
        )}
      </Detail>
      <Detail label="Trailers">
        <ul>
          {trip.trailers.map((id) => {
            const trailer = pickLists.trailers.find((each) => each.id === id);
            return (
              <li key={id}>
                {trailer?.name ?? id}
                {trailer && (
                  <Remark>
                    {trailer.type}, {trailer.capacity} tons
                  </Remark>
                )}
              </li>
            );
          })}
        </ul>
      </Detail>
      <Detail label="Tonnage">{trip.tonnage} tons</Detail>
      <Detail label="ETA">{trip.eta}</Detail>
      {isApprovals && <OfApproval trip={trip} />}
    </Details>
  );
}

function OfApproval({ trip }: { trip: ApprovalTrip }) {
  return (
    <>
      <Detail label="Transport Rate">${trip.transportRate.toFixed(2)} per ton</Detail>
      <Detail label="Transit Time">{trip.transitTime}</Detail>
      <Detail label="Commodity">{labelOf(COMMODITIES, trip.commodity)}</Detail>
      <Detail label="Cargo Type">{labelOf(CARGO_TYPES, trip.cargoType)}</Detail>
      <Detail label="Loading Place">{trip.placeOfLoading}</Detail>
      <Detail label="Delivery Place">{trip.placeOfDelivery}</Detail>
    </>
  );
}
