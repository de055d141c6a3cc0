import { useState } from "react";
import type { AuthUser } from "@/shared/auth/authStore";
import styles from "./Avatar.module.css";
import { userInitials } from "./userInitials";

/** The user's picture, or the initials where there is none or it does not load. The name stands beside it. */
export function Avatar({ user }: { user: AuthUser | null }) {
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
