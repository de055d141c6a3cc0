import { Button, Tooltip } from "@blueprintjs/core";
import { LogOut } from "@blueprintjs/icons";
import { useSignIn } from "@/app/signIn/useSignIn";
import { useScreenActions } from "@/shared/actions";
import { useAuthStore } from "@/shared/auth/authStore";
import { useMe } from "@/shared/auth/permissions";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import { Avatar } from "./Avatar";
import styles from "./SidebarFooter.module.css";
import { ThemeButton } from "./ThemeButton";

/** Who is signed in, the choice of colours, and the way out. */
export function SidebarFooter({ isCollapsed }: { isCollapsed: boolean }) {
  const user = useAuthStore((state) => state.user);
  const roles = useMe().roles.join(", ");
  const { signOut } = useSignIn();
  useScreenActions([{ text: "Logout", icon: <LogOut />, onSelect: () => void signOut() }], "frame");
  const name = user?.name?.trim() || "User";

  return (
    <footer className={styles.footer} data-collapsed={isCollapsed}>
      <div className={styles.user}>
        <Tooltip content={name} disabled={!isCollapsed} hoverOpenDelay={TOOLTIP_DELAY} placement="right">
          <Avatar user={user} />
        </Tooltip>
        <div className={isCollapsed ? "fl-visually-hidden" : styles.names}>
          <div className={styles.name}>{name}</div>
          {user?.email && <div className={`${styles.email} fl-remark`}>{user.email}</div>}
          {roles && (
            <div className={`${styles.roles} fl-remark`} title={roles}>
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
