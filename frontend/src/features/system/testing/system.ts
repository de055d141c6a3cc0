import type { Action, Alert, SetAsideRecord, System } from "../systemState";

export const NOW = "2026-11-23T03:00:00.000Z";

/** A moment, in seconds before now. */
export function before(seconds: number): string {
  return new Date(Date.parse(NOW) - seconds * 1000).toISOString();
}

const STEPS = 288;

/** A system that has run for a day, with differences. */
export function system(differences: Partial<System> = {}): System {
  const day = Array.from({ length: STEPS }, (_, step) => step);
  return {
    at: NOW,
    release: "0.1.0",
    schema_revision: "0020",
    state: "well",
    services: ["command-api", "query-api", "projections"].map((name) => ({
      ...{ name, instance: `${name}-1`, release: "0.1.0", health: "ready", reason: null },
      ...{ started_at: before(7200), seen_at: before(2) },
    })),
    projections: ["drivers", "trailers", "revisions"].map((name) => ({
      ...{ name, position: 1234, lag_events: 0, lag_seconds: 0, leader: "projections-1", standby: 1 },
      ...{ state: "following", set_aside: 0, rebuild: null },
    })),
    set_aside: [],
    set_aside_total: 0,
    log: { position: 1234, events: 1234 },
    relay: { state: "publishing", position: 1234, lag_events: 0, lag_seconds: 0, seen_at: before(1) },
    seal: { position: 1234, at: before(40), lag_events: 0 },
    verification: { at: before(86_400), ok: true, words: "1,200 events and 40 seals fit." },
    backup: { at: before(3600), age_seconds: 3600, bytes: 48_000_000, where: "/backups" },
    storage: {
      ...{ database_bytes: 250_000_000, log_bytes: 120_000_000, read_bytes: 80_000_000 },
      ...{ growth_bytes_per_day: 12_000_000, disk_free_bytes: 60e9, disk_total_bytes: 100e9 },
    },
    samples: {
      from: before(STEPS * 300),
      step_seconds: 300,
      commands: day.map((step) => (step < 100 ? null : 20 + Math.round(15 * Math.sin(step / 30)))),
      reads: day.map((step) => (step < 100 ? null : 220 + Math.round(150 * Math.sin(step / 30)))),
      p99_ms: day.map((step) => (step < 100 ? null : 30 + (step % 17))),
      refusals: day.map((step) => (step < 100 ? null : step % 50 === 0 ? 3 : 0)),
    },
    alerts: [],
    actions: [],
    ...differences,
  };
}

/** A system without any use. */
export function freshSystem(): System {
  const none = Array.from({ length: STEPS }, () => null);
  const { samples, storage } = system();
  return system({
    ...{ services: [], projections: [], seal: null, verification: null, backup: null },
    log: { position: 0, events: 0 },
    relay: { state: "off", position: 0, lag_events: 0, lag_seconds: 0, seen_at: null },
    storage: { ...storage, growth_bytes_per_day: null, disk_free_bytes: null, disk_total_bytes: null },
    samples: { ...samples, commands: none, reads: none, p99_ms: none, refusals: none },
  });
}

export function alert(differences: Partial<Alert> = {}): Alert {
  return {
    name: "FleetlogQuarantined",
    severity: "ticket",
    since: before(720),
    summary: "100 records of drivers quarantined, shown in the former state",
    runbook: "fleetlogquarantined",
    ...differences,
  };
}

export function setAside(count: number, differences: Partial<SetAsideRecord> = {}): SetAsideRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    projection: "drivers",
    entity_type: "driver",
    entity_id: `EMP-${index + 1}`,
    position: 500 + index,
    since: before(720),
    cause: "driver.promoted: its kind is not known to this release",
    ...differences,
  }));
}

export function action(differences: Partial<Action> = {}): Action {
  return {
    ...{ id: "action-1", kind: "verify", target: null, state: "asked" },
    ...{ asked_at: NOW, asked_by: "dev|tomas", done: null, total: null, words: null },
    ...differences,
  };
}
