import { expect, test } from "vitest";
import { completionSteps } from "./completion";
import { sampleTripFile } from "./sampleTripFile";
import type { TripFile } from "./trip";

const done = (file: TripFile) =>
  completionSteps(file)
    .filter(({ isDone }) => isDone)
    .map(({ label }) => label);

test("the sample trip has left and been paid for loading; the rest is to be done", () => {
  expect(done(sampleTripFile)).toEqual(["Left JNPT, Navi Mumbai", "Loading settlement paid"]);
});

test("arrival, documents and issues are done as soon as they are recorded", () => {
  const moment = "2026-11-22T01:30:00+05:30";
  const arrived = {
    ...sampleTripFile,
    stops: sampleTripFile.stops.map((stop) => ({ ...stop, actual: moment })),
    documents: sampleTripFile.documents.map((document) => ({ ...document, received: "2026-11-22" })),
    issues: sampleTripFile.issues.map((issue) => ({ ...issue, resolved: moment })),
  };
  expect(done(arrived)).toEqual([
    "Left JNPT, Navi Mumbai",
    "Loading settlement paid",
    "Arrived at Okhla, New Delhi",
    "All documents received",
    "All issues resolved",
  ]);
});
