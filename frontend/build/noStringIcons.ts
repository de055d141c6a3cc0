import type { Plugin } from "vite";
import { findStringIcons } from "./stringIcons.ts";

const LOADER = "\0no-icon-loader";
const ICON_PACKAGE = "/@blueprintjs/icons/";
const ICON_PATHS = /\/(allPaths|pathsLoader|paths|paths-loaders)[/.]/;

/**
 * Keeps all of Blueprint's icon paths, over 100 kB, out of what browsers load: `icon="user"` would fetch them,
 * `icon={<User />}` brings its own. The build fails where a string is given as an icon, and Blueprint's loader of
 * such icons is left out, so that one given in a way which cannot be seen stays invisible and says so. To the type
 * checker no string is an icon either (./blueprintIcons.d.ts).
 */
export function noStringIcons(): Plugin {
  let sources: string;
  return {
    name: "no-string-icons",
    apply: "build",
    enforce: "pre",
    configResolved: (config) => {
      sources = `${config.root}/src/`;
    },
    resolveId: (id, importer) =>
      id === "./iconLoader" && importer?.includes(ICON_PACKAGE) ? LOADER : undefined,
    load: (id) => (id === LOADER ? withoutLoading : undefined),
    transform(code, id) {
      if (!id.startsWith(sources) || !/\.tsx?$/.test(id)) return;
      const [icon] = findStringIcons(id, code);
      if (icon) {
        this.error(
          `${id.slice(sources.length)}:${icon.line}: ${icon.text} would load every icon there is. ` +
            'Give an element, such as icon={<User />} from "@blueprintjs/icons".',
        );
      }
    },
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
