// What "@blueprintjs/icons" is to the type checker: itself, but that no string is the name of an icon
// (./noStringIcons.ts says why).
export * from "../node_modules/@blueprintjs/icons/lib/esm/generated/index";
export type IconName = never;
