/**
 * Replaces Blueprint's loader of string icons, which would bring all icon paths (over 100 kB) into the bundle: `icon={<User />}`
 * imports one icon. Types forbid string icons (./blueprintIcons.d.ts); one that evades them stays invisible.
 */
export const Icons = {
  getPaths: () => undefined,
  load: (name: string) => Promise.reject(new Error(`String icons cannot be loaded: ${name}`)),
};
