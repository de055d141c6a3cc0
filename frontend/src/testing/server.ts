import { setupServer } from "msw/node";

/** The network as tests see it: a request that no handler expects fails the test. */
export const server = setupServer();
