import { z } from "@/shared/config/zod";

const required = (message: string) => z.string().trim().min(1, message);
const optional = z.string().trim();

/** The driver form and its rules (specification, section 5). Dates are `YYYY-MM-DD`. */
export const driverSchema = z.object({
  id: required("Employee number is required"),
  name: required("Driver name is required"),
  fatherName: required("Father's name is required"),
  email: z.string().trim().pipe(z.email("Invalid email address")),
  mobile1: required("Primary mobile number is required"),
  mobile2: optional,
  address1: required("Primary address is required"),
  address2: optional,
  city: required("City is required"),
  country: required("Country is required"),
  passportNumber: required("Passport number is required"),
  passportValidUpTo: required("Passport expiry date is required"),
  licenseNumber: required("Driving license number is required"),
  licenseValidUpTo: required("License expiry date is required"),
  bankAccount: required("Bank account number is required"),
  bankName: required("Bank name is required"),
  bankAddress: required("Bank address is required"),
  ifscCode: required("IFSC code is required"),
  swiftCode: optional,
});

/** A driver as the screens know it: every value is text, and empty text means "none". */
export type Driver = z.infer<typeof driverSchema>;

export const emptyDriver: Driver = {
  id: "",
  name: "",
  fatherName: "",
  email: "",
  mobile1: "",
  mobile2: "",
  address1: "",
  address2: "",
  city: "",
  country: "",
  passportNumber: "",
  passportValidUpTo: "",
  licenseNumber: "",
  licenseValidUpTo: "",
  bankAccount: "",
  bankName: "",
  bankAddress: "",
  ifscCode: "",
  swiftCode: "",
};
