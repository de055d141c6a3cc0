// Generated from the OpenAPI documents by `./fleetlog lint`; not edited by hand.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Access: {
            readonly number: number;
            readonly moment: string;
            readonly actor: {
                readonly [key: string]: string | null;
            };
            readonly request_id: string;
            readonly action: string;
            readonly details: {
                readonly [key: string]: unknown;
            };
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
        };
        readonly Accesses: {
            readonly content: readonly components["schemas"]["Access"][];
            readonly next: string | null;
        };
        readonly Action: {
            readonly id: string;
            /** @enum {string} */
            readonly kind: "retry" | "rebuild" | "verify";
            readonly target: string | null;
            readonly asked_at: string;
            readonly asked_by: string;
            /** @enum {string} */
            readonly state: "asked" | "running" | "done" | "failed";
            readonly done: number | null;
            readonly total: number | null;
            readonly words: string | null;
        };
        readonly Actor: {
            readonly sub: string;
            readonly name: string | null;
        };
        readonly Alert: {
            readonly name: string;
            /** @enum {string} */
            readonly severity: "page" | "ticket";
            readonly since: string | null;
            readonly summary: string;
            readonly runbook: string;
        };
        readonly AuditChange: {
            readonly position: number;
            readonly version: number;
            readonly type: string;
            readonly moment: string;
            readonly actor: components["schemas"]["Actor"] | null;
            readonly request_id: string | null;
            readonly client_request_id: string | null;
            readonly reason: string | null;
            readonly hold_until?: string | null;
            readonly undoes?: number | null;
            readonly batch?: string | null;
            readonly changes: readonly components["schemas"]["FieldChange"][];
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
            readonly entity: string;
            readonly id: string;
            readonly record_name: string | null;
            readonly run?: components["schemas"]["Run"] | null;
        };
        readonly AuditTrail: {
            readonly content: readonly components["schemas"]["AuditChange"][];
            readonly next: string | null;
        };
        readonly Backup: {
            readonly at: string;
            readonly age_seconds: number;
            readonly bytes: number;
            readonly where: string;
        };
        readonly Blame: {
            readonly version: number;
            readonly fields: readonly components["schemas"]["FieldAuthor"][];
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
        };
        readonly Choice: {
            readonly value: string;
            readonly count: number;
        };
        readonly Choices: {
            readonly choices: readonly components["schemas"]["Choice"][];
            readonly more: boolean;
        };
        readonly Day: {
            readonly day: string;
            readonly changes: number;
        };
        readonly Days: {
            readonly zone: string;
            readonly first: string;
            readonly last: string;
            readonly content: readonly components["schemas"]["Day"][];
            readonly next: string | null;
        };
        readonly Diff: {
            readonly from: components["schemas"]["DiffEnd"];
            readonly to: components["schemas"]["DiffEnd"];
            readonly changes: readonly components["schemas"]["FieldChange"][];
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
        };
        readonly DiffEnd: {
            readonly version: number;
            readonly moment: string | null;
            readonly exists: boolean;
        };
        readonly DriverRecord: {
            readonly id: string;
            readonly name: string;
            readonly address_1: string;
            readonly address_2: string | null;
            readonly city: string;
            readonly country: string;
            readonly mobile_number_1: string;
            readonly mobile_number_2: string | null;
            readonly email_address: string;
            readonly father_name: string;
            readonly passport_number: string;
            readonly passport_expiry_date: string;
            readonly driving_license_number: string;
            readonly driving_license_expiry: string;
            readonly bank_account_number: string;
            readonly bank_name: string;
            readonly bank_address: string;
            readonly ifsc_code: string;
            readonly swift_code: string | null;
        };
        readonly DriversList: {
            readonly content: readonly (components["schemas"]["DriverRecord"] | components["schemas"]["MaskedDriverRecord"] | components["schemas"]["ErasedDriverRecord"])[];
            readonly page?: components["schemas"]["Page"];
        };
        readonly DueDate: {
            readonly driver: string;
            readonly name: string | null;
            readonly mobile_number: string | null;
            /** @enum {string} */
            readonly document: "licence" | "passport";
            readonly date: string;
        };
        readonly DueDates: {
            readonly content: readonly components["schemas"]["DueDate"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly ErasedDriverRecord: {
            readonly id: string;
            readonly name: null;
            readonly address_1: null;
            readonly address_2: null;
            readonly city: null;
            readonly country: null;
            readonly mobile_number_1: null;
            readonly mobile_number_2: null;
            readonly email_address: null;
            readonly father_name: null;
            readonly passport_number: null;
            readonly passport_expiry_date: null;
            readonly driving_license_number: null;
            readonly driving_license_expiry: null;
            readonly bank_account_number: null;
            readonly bank_name: null;
            readonly bank_address: null;
            readonly ifsc_code: null;
            readonly swift_code: null;
            readonly erased: readonly string[];
        };
        readonly ErasedHorseRecord: {
            readonly id: string;
            readonly chassis_number: string;
            readonly engine_number: string;
            readonly hired: string | null;
            readonly identifier: string;
            readonly owner: null;
            readonly metadata: null;
            readonly description: null;
            readonly created_at: string;
            readonly updated_at: string;
            readonly erased: readonly string[];
        };
        readonly ErasedTrailerListItem: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: null;
            readonly description_2: null;
            readonly description_3: null;
            readonly description_4: null;
            readonly description_5: null;
            readonly data: null;
            readonly registrationNumber: string | null;
            readonly assignedDriver: null;
            readonly capacity: number | null;
            readonly currentLocation: null;
            readonly lastMaintenance: null;
            readonly erased: readonly string[];
        };
        readonly ErasedTrailerRecord: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: null;
            readonly description_2: null;
            readonly description_3: null;
            readonly description_4: null;
            readonly description_5: null;
            readonly data: null;
            readonly erased: readonly string[];
        };
        readonly FieldAuthor: {
            readonly field: string;
            readonly value: unknown;
            readonly version: number | null;
            readonly moment: string | null;
            readonly actor: components["schemas"]["Actor"] | null;
        };
        readonly FieldChange: {
            readonly field: string;
            readonly from: unknown;
            readonly to: unknown;
        };
        readonly History: {
            readonly content: readonly components["schemas"]["VersionChange"][];
            readonly next: string | null;
        };
        readonly HorseRecord: {
            readonly id: string;
            readonly chassis_number: string;
            readonly engine_number: string;
            readonly hired: string | null;
            readonly identifier: string;
            readonly owner: string | null;
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            readonly description: string | null;
            readonly created_at: string;
            readonly updated_at: string;
        };
        readonly HorsesList: {
            readonly content: readonly (components["schemas"]["HorseRecord"] | components["schemas"]["MaskedHorseRecord"] | components["schemas"]["ErasedHorseRecord"])[];
            readonly page?: components["schemas"]["Page"];
        };
        readonly KnownActor: {
            readonly sub: string;
            readonly name: string | null;
            readonly since: string | null;
            /** @enum {string} */
            readonly state: "active" | "restricted" | "erasing" | "erased";
        };
        readonly KnownActors: {
            readonly content: readonly components["schemas"]["KnownActor"][];
        };
        readonly LocationRecord: {
            readonly id: string;
            readonly name: string;
            readonly lat: number;
            readonly longitude: number;
            readonly country: string;
            /** @enum {string} */
            readonly location_type: "REGULAR" | "HUB" | "WAREHOUSE" | "SERVICE_POINT";
            readonly attributes: {
                readonly city?: string | null;
                readonly state?: string | null;
                readonly postalCode?: string | null;
                readonly status?: string | null;
                readonly capacity?: string | number | null;
            };
            readonly created_at: string;
            readonly updated_at: string;
        };
        readonly LocationsList: {
            readonly content: readonly components["schemas"]["LocationRecord"][];
            readonly page?: components["schemas"]["Page"];
        };
        readonly Log: {
            readonly position: number;
            readonly events: number;
        };
        readonly MaskedDriverRecord: {
            readonly id: string;
            readonly name: null;
            readonly address_1: null;
            readonly address_2: null;
            readonly city: null;
            readonly country: null;
            readonly mobile_number_1: null;
            readonly mobile_number_2: null;
            readonly email_address: null;
            readonly father_name: null;
            readonly passport_number: null;
            readonly passport_expiry_date: null;
            readonly driving_license_number: null;
            readonly driving_license_expiry: null;
            readonly bank_account_number: null;
            readonly bank_name: null;
            readonly bank_address: null;
            readonly ifsc_code: null;
            readonly swift_code: null;
            readonly masked: readonly string[];
        };
        readonly MaskedHorseRecord: {
            readonly id: string;
            readonly chassis_number: string;
            readonly engine_number: string;
            readonly hired: string | null;
            readonly identifier: string;
            readonly owner: null;
            readonly metadata: null;
            readonly description: null;
            readonly created_at: string;
            readonly updated_at: string;
            readonly masked: readonly string[];
        };
        readonly MaskedTrailerListItem: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: null;
            readonly description_2: null;
            readonly description_3: null;
            readonly description_4: null;
            readonly description_5: null;
            readonly data: null;
            readonly registrationNumber: string | null;
            readonly assignedDriver: null;
            readonly capacity: number | null;
            readonly currentLocation: null;
            readonly lastMaintenance: null;
            readonly masked: readonly string[];
        };
        readonly MaskedTrailerRecord: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: null;
            readonly description_2: null;
            readonly description_3: null;
            readonly description_4: null;
            readonly description_5: null;
            readonly data: null;
            readonly masked: readonly string[];
        };
        readonly Me: {
            readonly sub: string;
            readonly name: string;
            readonly roles: readonly string[];
            readonly permissions: readonly components["schemas"]["Permission"][];
            readonly expires_at: string;
        };
        readonly Page: {
            readonly size: number;
            readonly number: number;
            readonly totalElements: number;
            readonly totalPages: number;
        };
        /** @enum {string} */
        readonly Permission: "fleet:read" | "fleet:write" | "fleet:remove" | "personal:read" | "history:read" | "audit:read" | "audit:reveal" | "access-log:read" | "feed:read" | "operations:read" | "operations:act" | "privacy:restrict" | "privacy:erase";
        readonly PrivacyRequest: {
            readonly basis: ("asked" | "purpose-served" | "unlawful" | "contested") | null;
            readonly due: string | null;
            readonly hold_until: string | null;
            readonly asked_at: string | null;
            readonly asked_by: components["schemas"]["Actor"] | null;
            readonly erased_at: string | null;
            readonly erased_by: components["schemas"]["Actor"] | null;
            readonly receipt: boolean;
            readonly entity: string;
            readonly id: string;
            /** @enum {string} */
            readonly state: "restricted" | "erasing" | "erased";
            readonly version: number | null;
        };
        readonly PrivacyRequests: {
            readonly content: readonly components["schemas"]["PrivacyRequest"][];
        };
        readonly PrivacyStanding: {
            readonly basis: ("asked" | "purpose-served" | "unlawful" | "contested") | null;
            readonly due: string | null;
            readonly hold_until: string | null;
            readonly asked_at: string | null;
            readonly asked_by: components["schemas"]["Actor"] | null;
            readonly erased_at: string | null;
            readonly erased_by: components["schemas"]["Actor"] | null;
            readonly receipt: boolean;
            readonly id: string;
            readonly entity: string;
            /** @enum {string} */
            readonly state: "active" | "restricted" | "erasing" | "erased";
            readonly events: number;
            readonly in_the_clear: number;
            readonly fields: readonly string[];
        };
        readonly Problem: {
            readonly type: string;
            readonly title: string;
            readonly status: number;
            readonly detail: string;
            readonly request_id: string;
            readonly validation_errors?: readonly {
                readonly field: string;
                readonly message: string;
                readonly pointer: string;
            }[];
            readonly missing_permissions?: readonly ("fleet:read" | "fleet:write" | "fleet:remove" | "personal:read" | "history:read" | "audit:read" | "audit:reveal" | "access-log:read" | "feed:read" | "operations:read" | "operations:act" | "privacy:restrict" | "privacy:erase")[];
            readonly current_version?: number;
            readonly changed_since?: readonly Record<string, never>[];
            readonly changes_left_out?: number;
        };
        readonly Projection: {
            readonly name: string;
            readonly position: number;
            readonly lag_events: number;
            readonly lag_seconds: number;
            readonly leader: string | null;
            readonly standby: number;
            /** @enum {string} */
            readonly state: "following" | "rebuilding" | "stopped";
            readonly set_aside: number;
            readonly rebuild: components["schemas"]["Rebuild"] | null;
        };
        readonly Rebuild: {
            readonly done: number;
            readonly total: number;
        };
        readonly Relay: {
            /** @enum {string} */
            readonly state: "off" | "publishing" | "stopped";
            readonly position: number;
            readonly lag_events: number;
            readonly lag_seconds: number;
            readonly seen_at: string | null;
        };
        readonly Run: {
            readonly changes: {
                readonly [key: string]: number;
            };
            readonly is_whole: boolean;
        };
        readonly Samples: {
            readonly from: string;
            readonly step_seconds: number;
            readonly commands: readonly (number | null)[];
            readonly reads: readonly (number | null)[];
            readonly p99_ms: readonly (number | null)[];
            readonly refusals: readonly (number | null)[];
        };
        readonly SavedView: {
            readonly id: string;
            readonly list: string;
            readonly name: string;
            readonly query: string;
            readonly changed_at: string;
        };
        readonly SavedViewList: {
            readonly content: readonly components["schemas"]["SavedView"][];
        };
        readonly Seal: {
            readonly position: number;
            readonly at: string;
            readonly lag_events: number;
        };
        readonly Service: {
            readonly name: string;
            readonly instance: string;
            readonly release: string;
            readonly started_at: string;
            readonly seen_at: string;
            /** @enum {string} */
            readonly health: "ready" | "not_ready" | "gone";
            readonly reason: string | null;
        };
        readonly SetAside: {
            readonly projection: string;
            readonly entity_type: string;
            readonly entity_id: string;
            readonly position: number;
            readonly since: string;
            readonly cause: string;
        };
        readonly Storage: {
            readonly database_bytes: number;
            readonly log_bytes: number;
            readonly read_bytes: number;
            readonly growth_bytes_per_day: number | null;
            readonly disk_free_bytes: number | null;
            readonly disk_total_bytes: number | null;
        };
        readonly System: {
            readonly at: string;
            readonly release: string;
            readonly schema_revision: string;
            /** @enum {string} */
            readonly state: "well" | "watch" | "wrong";
            readonly services: readonly components["schemas"]["Service"][];
            readonly projections: readonly components["schemas"]["Projection"][];
            readonly set_aside: readonly components["schemas"]["SetAside"][];
            readonly set_aside_total: number;
            readonly log: components["schemas"]["Log"];
            readonly relay: components["schemas"]["Relay"];
            readonly seal: components["schemas"]["Seal"] | null;
            readonly verification: components["schemas"]["Verification"] | null;
            readonly backup: components["schemas"]["Backup"] | null;
            readonly storage: components["schemas"]["Storage"];
            readonly samples: components["schemas"]["Samples"];
            readonly alerts: readonly components["schemas"]["Alert"][];
            readonly actions: readonly components["schemas"]["Action"][];
        };
        readonly SystemState: {
            /** @enum {string} */
            readonly state: "well" | "watch" | "wrong";
        };
        readonly TrailerListItem: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: string | null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: string | null;
            readonly description_2: string | null;
            readonly description_3: string | null;
            readonly description_4: string | null;
            readonly description_5: string | null;
            readonly data: {
                readonly [key: string]: unknown;
            } | null;
            readonly registrationNumber: string | null;
            readonly assignedDriver: string | null;
            readonly capacity: number | null;
            readonly currentLocation: unknown;
            readonly lastMaintenance: unknown;
        };
        readonly TrailerRecord: {
            readonly id: string;
            readonly identifier: string;
            readonly trailer_registration_number: string | null;
            readonly owner_name: string | null;
            readonly type: string | null;
            readonly status: string | null;
            readonly capacity_tons: number | null;
            readonly axles: number | null;
            readonly no_of_tyres: number | null;
            readonly name_of_country: string | null;
            readonly purchase_date: string | null;
            readonly registered_at: string | null;
            readonly ownership_type: string | null;
            readonly description_1: string | null;
            readonly description_2: string | null;
            readonly description_3: string | null;
            readonly description_4: string | null;
            readonly description_5: string | null;
            readonly data: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly TrailersList: {
            readonly content: readonly (components["schemas"]["TrailerListItem"] | components["schemas"]["MaskedTrailerListItem"] | components["schemas"]["ErasedTrailerListItem"])[];
            readonly page?: components["schemas"]["Page"];
        };
        readonly Verification: {
            readonly at: string;
            readonly ok: boolean;
            readonly words: string;
        };
        readonly VersionChange: {
            readonly position: number;
            readonly version: number;
            readonly type: string;
            readonly moment: string;
            readonly actor: components["schemas"]["Actor"] | null;
            readonly request_id: string | null;
            readonly client_request_id: string | null;
            readonly reason: string | null;
            readonly hold_until?: string | null;
            readonly undoes?: number | null;
            readonly batch?: string | null;
            readonly changes: readonly components["schemas"]["FieldChange"][];
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
            readonly etag: string;
        };
        readonly View: {
            readonly number: number;
            readonly moment: string;
            readonly actor: components["schemas"]["Actor"];
            readonly route: string;
            /** @enum {string} */
            readonly kind: "record" | "list" | "choices" | "download" | "history" | "diff" | "blame" | "audit" | "export" | "seen-by" | "access-log" | "due" | "change" | "privacy";
            readonly fields: readonly string[];
            readonly request_id: string;
            readonly filter: {
                readonly [key: string]: unknown;
            } | null;
            readonly count: number | null;
            readonly masked?: readonly string[];
            readonly erased?: readonly string[];
        };
        readonly Views: {
            readonly content: readonly components["schemas"]["View"][];
            readonly next: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** What the APIs send, by the name that its schema has. */
export type Wire<Name extends keyof components["schemas"]> = components["schemas"][Name];
