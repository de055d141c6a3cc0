import { type ESTree, parseSync, Visitor } from "vite";

/** A string that a module gives as an icon. */
export interface StringIcon {
  text: string;
  line: number;
}

/**
 * Finds strings in the shape of Blueprint's icon names, such as "arrow-left", that are bound to something called
 * `icon` or `…Icon`: attributes, properties, variables, defaults.
 */
export function findStringIcons(fileName: string, source: string): StringIcon[] {
  const found: StringIcon[] = [];
  const check = (name: ESTree.Node, value: ESTree.Node | null) => {
    if (!isIcon(name) || !value) return;
    for (const node of results(value)) {
      if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(String(node.value))) {
        found.push({ text: source.slice(name.start, value.end), line: lineOf(source, name.start) });
      }
    }
  };
  new Visitor({
    JSXAttribute: (node) => check(node.name, node.value),
    Property: (node) => check(node.key, node.value),
    VariableDeclarator: (node) => check(node.id, node.init),
    AssignmentPattern: (node) => check(node.left, node.right),
  }).visit(parseSync(fileName, source).program);
  return found;
}

function isIcon(node: ESTree.Node): boolean {
  return (node.type === "Identifier" || node.type === "JSXIdentifier") && /^icon$|Icon$/.test(node.name);
}

/** The strings that an expression may come to. */
function results(node: ESTree.Node): ESTree.StringLiteral[] {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" ? [node as ESTree.StringLiteral] : [];
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return results(node.expression);
    case "ConditionalExpression":
      return [...results(node.consequent), ...results(node.alternate)];
    case "LogicalExpression":
      return [...results(node.left), ...results(node.right)];
    default:
      return [];
  }
}

function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
