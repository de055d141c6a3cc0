import { z } from "@/shared/config/zod";
import { optionalText, requiredText } from "@/shared/form/rules";

/** The driver form and its rules (specification, section 5). Dates are `YYYY-MM-DD`. */
export const driverSchema = z.object({
  id: requiredText("Employee number is required"),
  name: requiredText("Driver name is required"),
  fatherName: requiredText("Father's name is required"),
  email: z.string().check(z.trim(), z.email("Invalid email address")),
  mobile1: requiredText("Primary mobile number is required"),
  mobile2: optionalText,
  address1: requiredText("Primary address is required"),
  address2: optionalText,
  city: requiredText("City is required"),
  country: requiredText("Country is required"),
  passportNumber: requiredText("Passport number is required"),
  passportValidUpTo: requiredText("Passport expiry date is required"),
  licenseNumber: requiredText("Driving license number is required"),
  licenseValidUpTo: requiredText("License expiry date is required"),
  bankAccount: requiredText("Bank account number is required"),
  bankName: requiredText("Bank name is required"),
  bankAddress: requiredText("Bank address is required"),
  ifscCode: requiredText("IFSC code is required"),
  swiftCode: optionalText,
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
