/** The product's name: the only place in the frontend that spells it. */
export const PRODUCT_NAME = "Fleetlog";
