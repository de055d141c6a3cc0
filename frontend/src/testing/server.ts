import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import atlas from "world-atlas/countries-110m.json";
import { staff } from "./permissions";

/**
 * The network as tests see it: a request that no handler expects fails the test. Whoever is signed in is
 * staff, unless a test says otherwise; rows that are only counted are none; and maps have their land.
 */
export const server = setupServer(
  http.get("*/api/v1/me", () => HttpResponse.json(staff as object)),
  http.get("*/api/v1/views", () => HttpResponse.json({ content: [] })),
  http.get("*/api/v1/:kind", ({ request }) =>
    new URL(request.url).searchParams.get("size") === "1" ? HttpResponse.json(NO_ROWS) : undefined,
  ),
  http.get(/countries-\d+m\.json$/, () => HttpResponse.json(atlas)),
);

const NO_ROWS = { content: [], page: { totalElements: 0 } };
