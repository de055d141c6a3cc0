/** A truck in side view, in size and colour like Blueprint's icons, which have only a front view. */
export function TruckIcon({ size = 16 }: { size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" fill="currentColor">
      <path d="M1 2.500h8a1 1 0 0 1 1 1V11H7.200a2.300 2.300 0 0 0-4.400 0H1a1 1 0 0 1-1-1V3.500a1 1 0 0 1 1-1Z" />
      <path d="M11 5h2.200a1 1 0 0 1 .8.400l1.700 2.300a1 1 0 0 1 .3.700V10a1 1 0 0 1-1 1h-.3a2.300 2.300 0 0 0-3.700-1.100Z" />
      <circle cx="5" cy="11.750" r="1.500" />
      <circle cx="12.500" cy="11.750" r="1.500" />
    </svg>
  );
}
