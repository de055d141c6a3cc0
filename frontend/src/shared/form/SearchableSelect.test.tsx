import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { SearchableSelect } from "./SearchableSelect";

const options = [
  { value: "pune", label: "Pune", description: "Maharashtra" },
  { value: "kochi", label: "Kochi", description: "Kerala" },
  { value: "nagpur", label: "Nagpur", description: "Maharashtra" },
];

function open(value = "") {
  const onChange = vi.fn();
  function City() {
    const [chosen, setChosen] = useState(value);
    return (
      <>
        <SearchableSelect
          label="City"
          options={options}
          value={chosen}
          onChange={(next) => {
            onChange(next);
            setChosen(next);
          }}
        />
        <button type="button">After</button>
      </>
    );
  }
  render(<City />);
  return { user: userEvent.setup(), onChange, trigger: screen.getByRole("combobox", { name: "City" }) };
}

const search = () => screen.findByPlaceholderText("Search options...");
const listed = () => screen.queryAllByRole("option").map((option) => option.textContent);
const isOpen = () => screen.queryByRole("listbox") !== null;
/** Return the text of the option that Enter would choose. */
const active = async () =>
  document.getElementById((await search()).getAttribute("aria-activedescendant") ?? "");

test("a click opens the list and focuses its search, and a click on an option chooses it", async () => {
  const { user, trigger, onChange } = open();
  expect(trigger).toHaveTextContent("Select option...");
  expect(trigger).toHaveAttribute("aria-expanded", "false");
  expect(isOpen()).toBe(false);
  await user.click(trigger);
  expect(await search()).toHaveFocus();
  expect(await search()).toHaveAttribute("aria-controls", screen.getByRole("listbox").id);
  expect(trigger).toHaveAttribute("aria-expanded", "true");
  expect(listed()).toEqual(["PuneMaharashtra", "KochiKerala", "NagpurMaharashtra"]);
  await user.click(screen.getByRole("option", { name: /Kochi/ }));
  expect(onChange).toHaveBeenCalledExactlyOnceWith("kochi");
  expect(trigger).toHaveTextContent("Kochi");
  expect(trigger).toHaveFocus();
  expect(isOpen()).toBe(false);
});

test.each(["{ArrowDown}", "{ArrowUp}", "{Enter}", " "])("the key %o opens the list", async (key) => {
  const { user, trigger } = open();
  trigger.focus();
  await user.keyboard(key);
  expect(await search()).toHaveFocus();
  expect(await search()).toHaveValue("");
});

test("keys pressed before the search appears are not lost", async () => {
  const { trigger } = open();
  act(() => {
    for (const key of ["k", "o"]) fireEvent.keyDown(trigger, { key });
  });
  expect(await search()).toHaveValue("ko");
  expect(listed()).toEqual(["KochiKerala"]);
});

test("arrows, Home and End move within the list; Enter chooses", async () => {
  const { user, trigger, onChange } = open();
  await user.click(trigger);
  await search();
  expect(await active()).toHaveTextContent("Pune");
  await user.keyboard("{ArrowUp}");
  expect(await active()).toHaveTextContent("Pune");
  await user.keyboard("{ArrowDown}");
  expect(await active()).toHaveTextContent("Kochi");
  await user.keyboard("{End}{ArrowDown}");
  expect(await active()).toHaveTextContent("Nagpur");
  await user.keyboard("{Home}");
  expect(await active()).toHaveTextContent("Pune");
  await user.keyboard("{ArrowDown}{Enter}");
  expect(onChange).toHaveBeenCalledExactlyOnceWith("kochi");
  expect(trigger).toHaveFocus();
});

test("the list opens at the chosen option, the only one selected; without results Enter chooses nothing", async () => {
  const { user, trigger, onChange } = open("nagpur");
  await user.click(trigger);
  await search();
  expect(await active()).toHaveTextContent("Nagpur");
  expect(screen.getAllByRole("option", { selected: true })).toEqual([await active()]);
  await user.type(await search(), "zzz{Enter}");
  expect(screen.getByText("No options found.")).toBeVisible();
  expect(listed()).toEqual([]);
  expect(onChange).not.toHaveBeenCalled();
});

test("opening while the list is closing focuses a new search", async () => {
  const { user, trigger, onChange } = open();
  await user.click(trigger);
  const former = await search();
  await user.type(former, "zzz");
  fireEvent.keyDown(former, { key: "Escape" });
  fireEvent.keyDown(trigger, { key: "k" });
  expect(await search()).toHaveFocus();
  expect(await search()).toHaveValue("k");
  await user.keyboard("o{Enter}");
  expect(onChange).toHaveBeenCalledExactlyOnceWith("kochi");
});

test.each(["Tab", "a click"])("%s closes the list and moves on", async (way) => {
  const { user, trigger } = open();
  await user.click(trigger);
  await search();
  const after = screen.getByRole("button", { name: "After" });
  await (way === "Tab" ? user.tab() : user.click(after));
  expect(isOpen()).toBe(false);
  expect(after).toHaveFocus();
});
