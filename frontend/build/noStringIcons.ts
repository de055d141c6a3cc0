import type { Plugin } from "vite";

const LOADER = "\0no-icon-loader";
const ICON_PACKAGE = "/@blueprintjs/icons/";
const ICON_PATHS = /\/(allPaths|pathsLoader|paths|paths-loaders)[/.]/;

/**
 * Keep all of Blueprint's icon paths (over 100 kB) out of the bundle. `icon="user"` would load them, `icon={<User />}`
 * imports one icon. Types forbid string icons (./blueprintIcons.d.ts). This plugin replaces Blueprint's loader, so that
 * a string icon that evades the types stays invisible and logs an error, and fails the build if icon paths are in it.
 */
export function noStringIcons(): Plugin {
  return {
    name: "no-string-icons",
    apply: "build",
    enforce: "pre",
    resolveId: (id, importer) =>
      id === "./iconLoader" && importer?.includes(ICON_PACKAGE) ? LOADER : undefined,
    load: (id) => (id === LOADER ? withoutLoading : undefined),
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        const paths = chunk.type === "chunk" && chunk.moduleIds.find(isOfIconPaths);
        if (paths) this.error(`All icon paths got into ${chunk.fileName}, by ${paths}.`);
      }
    },
  };
}

function isOfIconPaths(module: string): boolean {
  return module.includes(ICON_PACKAGE) && ICON_PATHS.test(module);
}

const withoutLoading = `
export const Icons = {
  getPaths: () => undefined,
  load: (name) => Promise.reject(new Error("String icons cannot be loaded: " + name)),
};
`;
