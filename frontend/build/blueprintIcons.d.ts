// The types of "@blueprintjs/icons", except that no string is an icon's name (see ./iconLoader.ts).
export * from "../node_modules/@blueprintjs/icons/lib/esm/generated/index";
export type IconName = never;
