import type { StatusTone } from "@/shared/ui";

export type SubcontractorStatus = "active" | "inactive" | "pending";

/** A subcontractor (spec, section 3). The contract value is in rupees, the rating from 0 to 5. */
export interface Subcontractor {
  id: string;
  name: string;
  company: string;
  email: string;
  phone: string;
  location: string;
  rating: number;
  specialization: string;
  status: SubcontractorStatus;
  contractValue: number;
  completedJobs: number;
}

export const STATUS_LOOKS: Readonly<Record<SubcontractorStatus, { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  inactive: { label: "Inactive", tone: "neutral" },
  pending: { label: "Pending", tone: "warning" },
};

export function subcontractorSearchFields(subcontractor: Subcontractor): readonly string[] {
  return [subcontractor.name, subcontractor.company, subcontractor.specialization];
}

export const STARS = 5;

/** The number of full stars: the rating rounded, so 4.8 has five. */
export function fullStars(rating: number): number {
  return Math.min(STARS, Math.max(0, Math.round(rating)));
}
