import { CARGO_TYPES, COMMODITIES, labelOf } from "./cargo";
import { Details, Remark } from "./Details";
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
    <Details
      // What a proposal says of a trip fits on one line.
      columns={isApprovals ? 4 : 5}
      of={{
        Horse: (
          <>
            {horse?.name ?? trip.horse}
            {horse && <Remark>{horse.model}</Remark>}
          </>
        ),
        Driver: (
          <>
            {driver?.name ?? trip.driver}
            {driver && <Remark>{driver.licence}</Remark>}
            {driver && (
              <Remark>
                {driver.experience} years' experience, rating&nbsp;{driver.rating.toFixed(1)}
              </Remark>
            )}
          </>
        ),
        Trailers: (
          <ul>
            {trip.trailers.map((id) => {
              const trailer = pickLists.trailers.find((each) => each.id === id);
              return (
                <li key={id}>
                  {trailer?.name ?? id}
                  {trailer && <Remark>{`${trailer.type}, ${trailer.capacity} tons`}</Remark>}
                </li>
              );
            })}
          </ul>
        ),
        Tonnage: `${trip.tonnage} tons`,
        ETA: trip.eta,
        ...(isApprovals && approvalDetails(trip)),
      }}
    />
  );
}

function approvalDetails(trip: ApprovalTrip) {
  return {
    "Transport Rate": `$${trip.transportRate.toFixed(2)} per ton`,
    "Transit Time": trip.transitTime,
    Commodity: labelOf(COMMODITIES, trip.commodity),
    "Cargo Type": labelOf(CARGO_TYPES, trip.cargoType),
    "Loading Place": trip.placeOfLoading,
    "Delivery Place": trip.placeOfDelivery,
  };
}
