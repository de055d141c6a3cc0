import { expect, test } from "vitest";
import { type CellFormat, generalText, loadFormats } from "./numberFormat";

const cellFormat = await loadFormats();
const shownNumber = (stored: string, format: CellFormat) =>
  typeof format === "object" ? format.number(stored) : generalText(stored);

test.each([
  ["112233445566", "00000000000000", "00112233445566"],
  ["42", '"EMP-"0000', "EMP-0042"],
  ["9876543210", "000\\-000\\-0000", "987-654-3210"],
  ["5551234", "[<=9999999]###\\-####;(###) ###\\-####", "555-1234"],
  ["9876543210", "[<=9999999]###\\-####;(###) ###\\-####", "(987) 654-3210"],
  ["1234567.891", "#,##0.00", "1,234,567.89"],
  ["12345678", "[>=10000000]##\\,##\\,##\\,##0;[>=100000]##\\,##\\,##0;##,##0", "1,23,45,678"],
  ["1.005", "0.00", "1.01"],
  ["0", "0;-0;;@", ""],
  ["1234.5", "[$₹-4009] #,##0.00", "₹ 1,234.50"],
  ["7", '[Red]General" t"', "7 t"],
  ["919876543210", "0.00E+00", "919876543210"],
  ["0.5", "# ?/?", "0.5"],
  ["0.3333333333333333", "0.00", "0.33"],
  ["1234567890123456", "0.00", "1234567890123456"],
])("%s in the format %s is shown as %s", (stored, code, shown) => {
  expect(shownNumber(stored, cellFormat(164, code))).toBe(shown);
});

test.each([
  ["0.30000000000000004", "0.3"],
  ["4.0999999999999996", "4.1"],
  ["1.0E-2", "0.01"],
  ["9.19876543210E+11", "919876543210"],
  ["1.2345678901234499E+17", "123456789012345000"],
  ["-1.2345678901234499E+17", "-123456789012345000"],
  ["1234567890123456", "1234567890123456"],
  ["many", "many"],
])("the stored number %s has the digits %s", (stored, digits) => {
  expect(generalText(stored)).toBe(digits);
});

test("built-in formats are known by their ids", () => {
  expect(shownNumber("1234", cellFormat(3))).toBe("1,234");
  expect(cellFormat(0)).toBeUndefined();
  expect(cellFormat(49)).toBeUndefined();
});

test("texts are shown with the literal text of their format", () => {
  const shown = (code: string) => {
    const format = cellFormat(164, code);
    return typeof format === "object" ? format.text("7A") : "7A";
  };
  expect([shown('"EMP-"@'), shown("0.00")]).toEqual(["EMP-7A", "7A"]);
});
