/** The product's name, spelt only here in the frontend. */
export const PRODUCT_NAME = "Fleetlog";
