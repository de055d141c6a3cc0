import { expect, test } from "vitest";
import { findStringIcons } from "./stringIcons";

const find = (source: string) => findStringIcons("Screen.tsx", source).map((icon) => icon.text);

test.each([
  [`<Button icon="user" />`, `icon="user"`],
  [`<Button text="x" icon={"arrow-left"} />`, `icon={"arrow-left"}`],
  [`<Button endIcon={open ? "caret-up" : <CaretDown />} />`, `endIcon={open ? "caret-up" : <CaretDown />}`],
  [`<Button icon={given ?? ("user" as const)} />`, `icon={given ?? ("user" as const)}`],
  [`show({ message, icon: "tick" });`, `icon: "tick"`],
  [`const icon = "user"; <Button icon={icon} />`, `icon = "user"`],
  [`function Card({ icon = "th" }: Props) {}`, `icon = "th"`],
])("finds the string icon in %s", (source, text) => {
  expect(find(source)).toEqual([text]);
});

test.each([
  `<Button icon={<User />} text="user" />`,
  `<NonIdealState icon={null} title="search" />`,
  `show({ icon: <Tick />, tone: "tick" })`,
  `const icons = { trailer: Truck }; <Card icon={icons.trailer} />`,
  `<link rel="icon" />`,
  `type Props = { icon: "user" }`,
  `<Card icon="🚚" />`,
])("leaves %s alone", (source) => {
  expect(find(source)).toEqual([]);
});

test("tells the line", () => {
  expect(findStringIcons("a.tsx", `const a = 1;\n\n<Button\n  icon="user"\n/>`)).toMatchObject([{ line: 4 }]);
});
