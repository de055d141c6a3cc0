import type { SectionSpec } from "@/shared/form";
import type { Driver } from "./schema";

/** The driver form: its sections and fields, in the order in which they are filled in. */
export const driverSections: readonly SectionSpec<Driver>[] = [
  {
    title: "Personal Information",
    fields: [
      { name: "id", label: "Employee Number", required: true, fixed: true },
      { name: "name", label: "Driver Name", required: true },
      { name: "fatherName", label: "Father's Name", required: true },
      { name: "email", label: "Email", kind: "email", required: true },
      { name: "mobile1", label: "Mobile Number 1", kind: "tel", required: true },
      { name: "mobile2", label: "Mobile Number 2", kind: "tel" },
      { name: "address1", label: "Address 1", kind: "multiline", required: true, wide: true },
      { name: "address2", label: "Address 2", kind: "multiline", wide: true },
      { name: "city", label: "City", required: true },
      { name: "country", label: "Country", required: true },
    ],
  },
  {
    title: "Document Information",
    fields: [
      { name: "passportNumber", label: "Passport Number", required: true },
      { name: "passportValidUpTo", label: "Passport Valid Up To", kind: "date", required: true },
      { name: "licenseNumber", label: "License Number", required: true },
      { name: "licenseValidUpTo", label: "License Valid Up To", kind: "date", required: true },
    ],
  },
  {
    title: "Banking Information",
    fields: [
      { name: "bankAccount", label: "Bank Account Number", required: true },
      { name: "bankName", label: "Bank Name", required: true },
      { name: "bankAddress", label: "Bank Address", kind: "multiline", required: true, wide: true },
      { name: "ifscCode", label: "IFSC Code", required: true },
      { name: "swiftCode", label: "SWIFT Code" },
    ],
  },
];
