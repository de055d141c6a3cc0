export function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
