import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import atlas from "world-atlas/countries-110m.json";
import { staff } from "./permissions";

/**
 * The mocked network; a request without a handler fails the test. By default the user is staff, counts are zero, no records are
 * similar, nothing is assigned, and maps have
 * their data.
 */
export const server = setupServer(
  http.get("*/api/v1/me", () => HttpResponse.json(staff as object)),
  http.get("*/api/v1/views", () => HttpResponse.json({ content: [] })),
  http.get("*/api/v1/assignments", ({ request }) =>
    new URL(request.url).searchParams.has("names") ? HttpResponse.json(NO_ROWS) : undefined,
  ),
  http.get("*/api/v1/:kind", ({ request }) =>
    new URL(request.url).searchParams.get("size") === "1" ? HttpResponse.json(NO_ROWS) : undefined,
  ),
  http.post("*/api/v1/possible-duplicates", () => HttpResponse.json({ rows: [] })),
  http.get(/countries-\d+m\.json$/, () => HttpResponse.json(atlas)),
);

const NO_ROWS = { content: [], page: { totalElements: 0, totalPages: 0, number: 0 } };
