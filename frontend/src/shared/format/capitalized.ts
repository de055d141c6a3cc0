/** A noun as a title begins with it. */
export function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
