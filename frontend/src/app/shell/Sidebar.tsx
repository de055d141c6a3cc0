import { Button, Tooltip, type TooltipProps } from "@blueprintjs/core";
import { Clipboard, Cog, Desktop, Lightbulb, LogOut, Moon, Route } from "@blueprintjs/icons";
import { useState } from "react";
import { useSignIn } from "@/app/signIn/useSignIn";
import { useScreenActions } from "@/shared/actions";
import { type AuthUser, useAuthStore } from "@/shared/auth/authStore";
import { useMe } from "@/shared/auth/permissions";
import { initials } from "@/shared/format/initials";
import { NavEntry } from "@/shared/frame";
import { type Theme, useThemeStore } from "@/shared/theme/theme";
import { TruckIcon } from "@/shared/ui";
import { TOOLTIP_DELAY } from "@/shared/ui/browser";
import styles from "./Sidebar.module.css";

export const entries = [
  { to: "/", label: "Trips", Icon: Route },
  { to: "/fleets", label: "Fleets", Icon: TruckIcon },
  { to: "/bookings", label: "Bookings", Icon: Clipboard },
  { to: "/management", label: "Management", Icon: Cog },
];

/** The sidebar; collapsed, it has icons only. */
export function Sidebar({ isCollapsed, onNavigate }: { isCollapsed: boolean; onNavigate?: () => void }) {
  return (
    <div className={styles.sidebar} data-collapsed={isCollapsed}>
      <nav aria-label="Main">
        <ul className={styles.entries}>
          {entries.map((entry) => (
            <li key={entry.to}>
              <NavEntry {...entry} isCollapsed={isCollapsed} onClick={onNavigate} />
            </li>
          ))}
        </ul>
      </nav>
      <SidebarFooter isCollapsed={isCollapsed} />
    </div>
  );
}

/** The signed-in user, Logout, and the choice of theme. */
function SidebarFooter({ isCollapsed }: { isCollapsed: boolean }) {
  const user = useAuthStore((state) => state.user);
  const roles = useMe().roles.join(", ");
  const { signOut } = useSignIn();
  useScreenActions([{ text: "Logout", icon: <LogOut />, onSelect: () => void signOut() }], "frame");
  const name = user?.name?.trim() || "User";

  return (
    <footer className={styles.footer} data-collapsed={isCollapsed}>
      <div className="fl-flex fl-middle fl-gap-8 fl-shrink">
        <Tooltip content={name} disabled={!isCollapsed} hoverOpenDelay={TOOLTIP_DELAY} placement="right">
          <Avatar user={user} />
        </Tooltip>
        <div className={isCollapsed ? "fl-visually-hidden" : "fl-shrink"}>
          <div className="fl-ellipsis fl-strong">{name}</div>
          {user?.email && <div className={"fl-ellipsis fl-remark"}>{user.email}</div>}
          {roles && (
            <div className={"fl-ellipsis fl-remark"} title={roles}>
              {roles}
            </div>
          )}
        </div>
      </div>
      <div className={styles.buttons}>
        <Tooltip content="Logout" disabled={!isCollapsed} hoverOpenDelay={TOOLTIP_DELAY} placement="right">
          <Button
            variant={isCollapsed ? "minimal" : "outlined"}
            icon={<LogOut />}
            aria-label={isCollapsed ? "Logout" : undefined}
            onClick={() => void signOut()}
          >
            {isCollapsed ? undefined : "Logout"}
          </Button>
        </Tooltip>
        <ThemeButton placement={isCollapsed ? "right" : "top"} />
      </div>
    </footer>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

const icons = { system: <Desktop />, light: <Lightbulb />, dark: <Moon /> };

/** Cycles through the themes system, light and dark. */
function ThemeButton({ placement }: Required<Pick<TooltipProps, "placement">>) {
  const { theme, choose } = useThemeStore();
  const next = NEXT[theme];
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

/** The user's picture, or the initials if it is missing or does not load. */
function Avatar({ user }: { user: AuthUser | null }) {
  const picture = user?.picture;
  const [broken, setBroken] = useState<string>();
  return (
    <span className={styles.avatar} aria-hidden="true">
      {picture && picture !== broken ? (
        <img src={picture} alt="" referrerPolicy="no-referrer" onError={() => setBroken(picture)} />
      ) : (
        userInitials(user)
      )}
    </span>
  );
}

/**
 * The first letters of up to two words of the name; without a name the first two letters of the e-mail; without either `U`.
 */
export function userInitials(user: Partial<AuthUser> | null): string {
  const ofEmail = [...(user?.email?.trim() ?? "")].slice(0, 2).join("").toUpperCase();
  return initials(user?.name ?? "") || ofEmail || "U";
}
