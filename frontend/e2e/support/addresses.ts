/** An address of the specification (section 2) with the texts of its screen. */
export interface Address {
  path: string;
  heading: string;
  /** Texts, including placeholders. */
  says: readonly string[];
}

const tripMenu = ["Trip Management", "Back to Trips"];

const trips: readonly Address[] = [
  {
    path: "/",
    heading: "Trips Management",
    says: [
      ...["Monitor and manage all transport operations", "New Trip"],
      ...["Total Trips", "In Transit", "Completed", "Scheduled"],
      "Search trips, clients, or trip numbers...",
      ...["Trip No.", "Trip Name", "Client Name", "Loading Point", "Delivery Point"],
      ...["Status", "Driver", "Vehicle", "Columns", "0 of 5 row(s) selected.", "Previous", "Next"],
    ],
  },
  {
    // Every id shows the sample trip.
    path: "/trips/no-such-trip",
    heading: "TRP-2026-001",
    says: [
      ...tripMenu,
      ...["Vehicle Details", "Driver", "Trailer", "Trailers"],
      ...["Route Information", "Route", "Place of Loading", "Place of Delivery"],
      ...["Timeline", "Start Date", "Expected Delivery", "Client"],
      ...["Cargo Information", "Commodity", "Cargo Type", "Tonnage", "tons", "Transport Rate", "₹"],
      ...["Settlement Details", "Loading Settlement", "Unloading Settlement", "%", "Completed", "Pending"],
    ],
  },
  { path: "/trips/1/tracking", heading: "Route Tracking", says: tripMenu },
  { path: "/trips/1/vehicle", heading: "Vehicle Details", says: tripMenu },
  { path: "/trips/1/cargo", heading: "Cargo Management", says: tripMenu },
  { path: "/trips/1/settlement", heading: "Settlement", says: tripMenu },
  { path: "/trips/1/documents", heading: "Documents", says: tripMenu },
  { path: "/trips/1/timeline", heading: "Timeline", says: tripMenu },
  { path: "/trips/1/alerts", heading: "Issues & Alerts", says: tripMenu },
  { path: "/trips/1/completion", heading: "Completion", says: tripMenu },
  { path: "/trips/1/settings", heading: "Settings", says: tripMenu },
  {
    path: "/fleets",
    heading: "Fleet Management",
    says: [
      ...["Total Vehicles", "24", "Active", "18", "Maintenance", "4", "Issues", "2"],
      ...["Fleet Overview", "vehicle tracking, maintenance schedules", "fleet analytics", "coming soon"],
    ],
  },
];

const bookings: readonly Address[] = [
  {
    path: "/bookings",
    heading: "Booking Management",
    says: [
      ...["Booking Proposal Management", "Booking Approval Management", "Create New Booking Proposal"],
      ...["Total Proposals", "Approved", "Pending", "Awaiting approval", "In Progress", "Currently active"],
      "Search proposals by ID, client, or route...",
      ...[
        "Proposal ID",
        "Client Organization",
        "Route",
        "Proposal Trips",
        "Status",
        "Created Date",
        "Actions",
      ],
      ...["2 trips", "1 trip", "Client", "Date From", "Date To"],
    ],
  },
  {
    path: "/bookings?tab=approvals",
    heading: "Booking Management",
    says: [
      ...["Total Approvals", "Pending Review", "Approved", "Rejected"],
      "Search by approval ID, proposal ID, client, or route...",
      ...["Approval ID", "Proposal ID", "Client Organization", "Route", "Approval Status", "Priority"],
      ...["Reviewer", "Submitted Date", "Actions"],
    ],
  },
  {
    path: "/bookings/create",
    heading: "New Booking Proposal",
    says: [
      ...["Back to Bookings", "Route*", "Client Organization*", "Trip Proposal #1"],
      ...["Horse (fleet)*", "Trailers*", "Driver*", "Tonnage (tons)*", "ETA*"],
      ...["Select option...", "Create Booking Proposal"],
    ],
  },
  {
    path: "/bookings/BP-001",
    heading: "Booking Proposal BP-001",
    says: ["Back to Bookings", "Edit Proposal", "→", "Tonnage", "ETA"],
  },
  {
    path: "/bookings/approvals/BA-001",
    heading: "Booking Approval BA-001",
    says: [
      ...["Reviewer", "Submitted Date", "Client", "Route", "Submission Notes", "Horse", "Driver", "Tonnage"],
      ...["Transport Rate", "$", "ETA", "Transit Time", "Commodity", "Cargo Type"],
      ...["Loading Place", "Delivery Place", "Trailers", "Previous Comments"],
    ],
  },
  {
    path: "/bookings/approvals/no-such-approval",
    heading: "Approval not found",
    says: ["Back to Bookings"],
  },
  {
    // The literal path has precedence over an approval's id.
    path: "/bookings/approvals/create",
    heading: "Create Booking Approval",
    says: ["Back to Bookings", "Select option..."],
  },
  {
    path: "/bookings/approvals/create?proposalId=no-such-proposal",
    heading: "Create Booking Approval",
    says: ["Select option..."],
  },
];

const management: readonly Address[] = [
  {
    path: "/management",
    heading: "Management Center",
    says: [
      ...["Drivers", "Manage drivers, licenses and employee records", "Routes", "Plan and optimize routes"],
      ...["Trailers", "Trailer fleet and maintenance", "Horses", "Monitor engine fleet"],
      ...["Clients", "Client relationships and contracts"],
      ...["Subcontractors", "Subcontractor partnerships"],
      ...["Due Dates", "Licenses and passports that have expired or expire soon"],
      ...["Audit Trail", "Every change: who made it, when and why"],
      ...["Event Stream", "Connect your own tools to all changes, with schemas"],
    ],
  },
  {
    path: "/management/due-dates",
    heading: "Due Dates",
    says: [
      ...["Back to Management", "Expired", "Within 7 Days", "Within 30 Days", "Within 90 Days"],
      ...["Document", "From", "To (inclusive)", "Search by name, ID, or phone..."],
      ...["Driver", "Employee Number", "Valid Up To", "Mobile", "Download CSV", "Calendar (.ics)"],
    ],
  },
  {
    path: "/management/audit",
    heading: "Audit Trail",
    says: [
      ...["Back to Management", "Search", "Record type", "Record ID", "Person"],
      ...["Kind of change", "Field", "From", "To (inclusive)"],
      ...["Download CSV", "Download NDJSON"],
    ],
  },
  {
    // The tests are signed in as staff.
    path: "/management/audit?tab=access",
    heading: "Permission needed",
    says: ["the access-log:read permission", "Back to Management"],
  },
  {
    path: "/management/system",
    heading: "Permission needed",
    says: ["the operations:read permission", "Back to Management"],
  },
  {
    path: "/management/event-stream",
    heading: "Event Stream",
    says: ["Back to Management", "Connect", "Address and token", "Schemas", "AsyncAPI"],
  },
  {
    path: "/management/privacy-requests",
    heading: "Permission needed",
    says: ["the privacy:restrict permission", "Back to Management"],
  },
  {
    path: "/management/routes",
    heading: "Routes",
    says: [
      ...["Back to Management", "Locations", "Total Routes", "Active Routes", "Destinations", "Efficiency"],
      ...["Add Route", "Name", "Start", "End", "Stops", "Distance", "Est. Time", "Status", "Last Used"],
    ],
  },
  {
    path: "/management/routes?tab=locations",
    heading: "Routes",
    says: [
      ...["Total", "Hubs", "Warehouses", "Service Points", "Add Location"],
      ...["Name", "Type", "Country", "City", "State", "Latitude", "Longitude", "Capacity", "Status"],
      "Last Updated",
    ],
  },
  {
    path: "/management/routes/add",
    heading: "Add Route",
    says: [
      ...["Route Name*", "Starting Location*", "Description", "Stop 1", "from", "Destination*"],
      ...["Add Segment", "Cancel", "Create Route", "0.0 km"],
    ],
  },
  {
    path: "/management/routes/RT-001",
    heading: "Western Corridor Express",
    says: [
      ...["Created", "Last Used", "From", "To", "Distance", "Estimated Time", "Actual Time", "Road Type"],
      "Timeline",
    ],
  },
  { path: "/management/routes/no-such-route", heading: "Route Not Found", says: [] },
  {
    path: "/management/clients",
    heading: "Client Management",
    says: [
      ...["Add New Client", "View Profile", "New Booking", "Bookings", "Credit Limit", "Outstanding"],
      "Active",
    ],
  },
  {
    path: "/management/subcontractors",
    heading: "Subcontractors",
    says: ["Add Subcontractor", "Edit", "Remove", "Contract Value", "Jobs Completed"],
  },
];

const nowhere: readonly Address[] = [
  "/no-such-page",
  "/management/no/such/page",
  "/trips/1/no-such-page",
].map((path) => ({ path, heading: "Oops! Page not found", says: ["Return to Home"] }));

/** The specification's addresses, by area; those of the saved records are in `kinds`. */
export const addresses = { trips, bookings, management, nowhere };
