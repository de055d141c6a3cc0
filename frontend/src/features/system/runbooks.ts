import rules from "@alerts/fleetlog.rules.gen.yaml?raw";
import alerts from "@alerts/README.md?raw";
import type { Alert } from "./systemState";

/** A paragraph or a list of a runbook, as Markdown text. */
export type Block = { kind: "paragraph"; text: string } | { kind: "list"; items: readonly string[] };

/** Sections of ops/alerts/README.md by anchor, part of the bundle. */
const sections = new Map(
  (alerts.split("\n## Runbooks\n")[1] ?? "").split("\n### ").map((section) => {
    const [name = "", ...lines] = section.split("\n");
    return [name.trim().toLowerCase(), lines] as const;
  }),
);

/** An alert's runbook; undefined if it has none. */
export function runbookOf({ name, runbook }: Pick<Alert, "name" | "runbook">): readonly Block[] | undefined {
  const lines = sections.get(runbook.toLowerCase()) ?? sections.get(name.toLowerCase());
  return lines && blocksOf(lines);
}

/** The `for` of each alert's Prometheus rule, e.g. `5m`. */
const waits = new Map(
  rules.split("- alert: ").map((rule) => {
    const [name = ""] = rule.split("\n", 1);
    return [name.trim(), /^ +for: (\d+[smh])$/m.exec(rule)?.[1]] as const;
  }),
);

/** The delay of the Prometheus alert after the screen, e.g. `5 min`; undefined without delay. */
export function alertDelay(name: string): string | undefined {
  const wait = waits.get(name);
  return wait?.replace(/[smh]$/, (unit) => ` ${{ s: "s", m: "min", h: "h" }[unit]}`);
}

/** Parses the Markdown that runbooks use: paragraphs, and lists of one level. */
export function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: ({ kind: "paragraph"; text: string } | { kind: "list"; items: string[] })[] = [];
  let isOpen = false;
  for (const line of lines) {
    const last = blocks.at(-1);
    const text = line.trim();
    if (text === "") {
      isOpen = false;
    } else if (line.startsWith("- ")) {
      if (isOpen && last?.kind === "list") last.items.push(text.slice(2));
      else blocks.push({ kind: "list", items: [text.slice(2)] });
      isOpen = true;
    } else if (isOpen && last?.kind === "list") {
      last.items.push(`${last.items.pop()} ${text}`);
    } else if (isOpen && last?.kind === "paragraph") {
      last.text += ` ${text}`;
    } else {
      blocks.push({ kind: "paragraph", text });
      isOpen = true;
    }
  }
  return blocks;
}

/** A part of a line: text, code, or a link. */
export interface Piece {
  kind: "text" | "code" | "link";
  text: string;
  /** Of a link to another site. */
  href?: string;
}

/** Split a line at its code and links. Links to handbook pages, which browsers cannot open, become the page's name. */
export function piecesOf(line: string): readonly Piece[] {
  return line.split(/(`[^`]+`|\[[^[\]]+\]\([^()]+\))/).map((part): Piece => {
    if (part.startsWith("`") && part.endsWith("`")) return { kind: "code", text: part.slice(1, -1) };
    const [, text, href] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    if (text === undefined || href === undefined) return { kind: "text", text: part };
    if (/^https?:/.test(href)) return { kind: "link", text, href };
    const page = href.replace(/^(\.\.\/)+/, "").replace(/#.*$/, "");
    return { kind: "text", text: text.includes(page) ? text : `${text} (${page})` };
  });
}
