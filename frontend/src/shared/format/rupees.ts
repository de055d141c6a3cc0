const formatter = new Intl.NumberFormat("en-IN", {
  style: "currency",
  currency: "INR",
  maximumFractionDigits: 0,
});

/** Whole rupees, grouped the Indian way: `₹12,50,000`. */
export function formatRupees(amount: number): string {
  return formatter.format(amount);
}
