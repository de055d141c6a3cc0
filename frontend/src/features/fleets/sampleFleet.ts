/** The fleet's figures. */
export interface FleetFigures {
  total: number;
  active: number;
  maintenance: number;
  issues: number;
}

/** Fixed, as the specification has them (screens); an API of the fleet takes this module's place. */
export const sampleFleet: FleetFigures = { total: 24, active: 18, maintenance: 4, issues: 2 };
