import type { SelectOption } from "@/shared/form/SearchableSelect";

/** What is carried (product.md: records). */
export const COMMODITIES: readonly SelectOption[] = [
  { value: "steel", label: "Steel" },
  { value: "coal", label: "Coal" },
  { value: "cement", label: "Cement" },
  { value: "machinery", label: "Machinery" },
  { value: "chemicals", label: "Chemicals" },
  { value: "textiles", label: "Textiles" },
  { value: "food-grains", label: "Food Grains" },
  { value: "petroleum", label: "Petroleum Products" },
  { value: "electronics", label: "Electronics" },
  { value: "automotive", label: "Automotive Parts" },
];

/** How it is carried (product.md: records). */
export const CARGO_TYPES: readonly SelectOption[] = [
  { value: "dry", label: "Dry Cargo" },
  { value: "liquid", label: "Liquid Cargo" },
  { value: "refrigerated", label: "Refrigerated Cargo" },
  { value: "hazardous", label: "Hazardous Materials" },
  { value: "oversized", label: "Oversized Cargo" },
  { value: "bulk", label: "Bulk Cargo" },
  { value: "container", label: "Containerized Cargo" },
];

/** What people call an option's value; the value itself where it is none of theirs. */
export function labelOf(options: readonly SelectOption[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}
