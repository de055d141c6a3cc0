import { Button, Tooltip, type TooltipProps } from "@blueprintjs/core";
import { Desktop, Lightbulb, Moon } from "@blueprintjs/icons";
import { useScreenActions } from "@/shared/actions";
import { nextTheme, useThemeStore } from "@/shared/theme/theme";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";

const icons = { system: <Desktop />, light: <Lightbulb />, dark: <Moon /> };

/** Goes round the three themes: the system's, light, dark. */
export function ThemeButton({ placement }: Required<Pick<TooltipProps, "placement">>) {
  const { theme, choose } = useThemeStore();
  const next = nextTheme(theme);
  useScreenActions(
    [{ text: `Switch to theme: ${next}`, icon: icons[next], onSelect: () => choose(next) }],
    "frame",
  );
  const label = `Theme: ${theme}`;
  return (
    <Tooltip content={label} hoverOpenDelay={TOOLTIP_DELAY} placement={placement}>
      <Button
        variant="minimal"
        icon={icons[theme]}
        aria-label={`${label}, switch to ${next}`}
        onClick={() => choose(next)}
      />
    </Tooltip>
  );
}
