import { IdNumber } from "@blueprintjs/icons";
import { deleteTwice } from "@/shared/api/deleteTwice";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { expiredBefore, expiringSoon, type Span } from "@/shared/expiry/spans";
import { recordOf } from "@/shared/records";
import { Hidden } from "@/shared/ui";
import { LicenceBadge } from "./LicenceBadge";
import { driverPaths } from "./paths";

export type WireDriver = Wire<"DriverRecord">;

/** Those whose licences end within some days. */
const licences = (filter: string, days: (now: Date) => string) => ({
  filter,
  cell: "licenseValidUpTo",
  days,
});
const daysOf = ({ from = "", until }: Span) => `${from}..${until}`;
const expired = (now: Date) => daysOf(expiredBefore(now));

/** Drivers (specification, sections 3, 5 and 7); the list's columns are ours: every field can be one, in downloads too. */
export const driverDefinition = recordOf<WireDriver>()({
  noun: "driver",
  path: "/api/v1/drivers",
  paths: driverPaths,
  remove: deleteTwice,
  sections: [
    {
      title: "Personal Information",
      fields: [
        {
          name: "id",
          label: "Employee Number",
          required: "Employee number is required",
          fixed: true,
          column: { place: 2, card: "second" },
          searched: true,
        },
        {
          name: "name",
          label: "Driver Name",
          required: "Driver name is required",
          column: { place: 1, header: "Name", wraps: true },
          searched: true,
        },
        {
          name: "fatherName",
          wire: "father_name",
          label: "Father's Name",
          required: "Father's name is required",
          column: { hidden: true },
        },
        {
          name: "email",
          wire: "email_address",
          label: "Email",
          kind: "email",
          required: "Invalid email address",
          column: { hidden: true },
        },
        {
          name: "mobile1",
          wire: "mobile_number_1",
          label: "Mobile Number 1",
          kind: "tel",
          required: "Primary mobile number is required",
          column: { place: 3, header: "Mobile" },
          searched: true,
        },
        {
          name: "mobile2",
          wire: "mobile_number_2",
          label: "Mobile Number 2",
          kind: "tel",
          searched: true,
          column: { hidden: true },
        },
        {
          name: "address1",
          wire: "address_1",
          label: "Address 1",
          kind: "multiline",
          required: "Primary address is required",
          column: { hidden: true },
          wide: true,
        },
        {
          name: "address2",
          wire: "address_2",
          label: "Address 2",
          kind: "multiline",
          wide: true,
          column: { hidden: true },
        },
        {
          name: "city",
          label: "City",
          required: "City is required",
          column: { place: 4, wraps: true },
          filter: "value",
        },
        {
          name: "country",
          label: "Country",
          required: "Country is required",
          column: { hidden: true },
          filter: "value",
        },
      ],
    },
    {
      title: "Document Information",
      fields: [
        {
          name: "passportNumber",
          wire: "passport_number",
          label: "Passport Number",
          required: "Passport number is required",
          column: { hidden: true },
        },
        {
          name: "passportValidUpTo",
          wire: "passport_expiry_date",
          label: "Passport Valid Up To",
          kind: "date",
          expires: true,
          required: "Passport expiry date is required",
          column: { hidden: true },
          filter: "days",
        },
        {
          name: "licenseNumber",
          wire: "driving_license_number",
          label: "License Number",
          required: "Driving license number is required",
          column: { place: 5 },
        },
        {
          name: "licenseValidUpTo",
          wire: "driving_license_expiry",
          label: "License Valid Up To",
          kind: "date",
          expires: true,
          required: "License expiry date is required",
          column: { place: 6, card: "state" },
          filter: "days",
        },
      ],
    },
    {
      title: "Banking Information",
      fields: [
        {
          name: "bankAccount",
          wire: "bank_account_number",
          label: "Bank Account Number",
          required: "Bank account number is required",
          column: { hidden: true },
        },
        {
          name: "bankName",
          wire: "bank_name",
          label: "Bank Name",
          required: "Bank name is required",
          column: { hidden: true },
        },
        {
          name: "bankAddress",
          wire: "bank_address",
          label: "Bank Address",
          kind: "multiline",
          required: "Bank address is required",
          column: { hidden: true },
          wide: true,
        },
        {
          name: "ifscCode",
          wire: "ifsc_code",
          label: "IFSC Code",
          required: "IFSC code is required",
          column: { hidden: true },
        },
        { name: "swiftCode", wire: "swift_code", label: "SWIFT Code", column: { hidden: true } },
      ],
    },
  ],
  heading: ({ name, id, licenseValidUpTo }, _, hidden) => ({
    title: name,
    tabTitle: `Driver ${id}`,
    subtitle: `Employee Number ${id}`,
    badge: hidden.has("licenseValidUpTo") ? (
      <Hidden text="License hidden" />
    ) : (
      <LicenceBadge validUpTo={licenseValidUpTo} />
    ),
  }),
  list: {
    title: "Drivers",
    subtitle: "Drivers, licenses and employee records",
    addLabel: "Add Driver",
    defaultSort: { id: "name", desc: false },
    searchPlaceholder: "Search drivers by name, ID, or phone...",
    nameOf: ({ name }) => name,
    // The specification does not say whom "Active Drivers" counts; here it is everyone who may drive today, that is
    // whose licence has not expired, so that active and expired add up to the total.
    figures: [
      { label: "Total Drivers" },
      { label: "Active Drivers", tone: "success", counts: licences("active", (now) => `!${expired(now)}`) },
      { label: "Expired Licenses", tone: "danger", counts: licences("expired", expired) },
      {
        label: "Expiring Soon",
        tone: "warning",
        counts: licences("expiring", (now) => daysOf(expiringSoon(now))),
      },
    ],
    icon: <IdNumber size={24} />,
    copiesId: true,
  },
});
