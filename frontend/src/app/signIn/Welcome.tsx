import { Button } from "@blueprintjs/core";
import { LogIn, SmallTick } from "@blueprintjs/icons";
import { PRODUCT_NAME } from "@/shared/config/product";
import { GateCard } from "./GateCard";
import styles from "./GateCard.module.css";
import { useSignIn } from "./useSignIn";

const features = ["User authentication", "Profile management", "Secure API access", "Role-based permissions"];

/** What somebody sees who is not signed in. */
export function Welcome() {
  const { signIn } = useSignIn();
  return (
    <GateCard title={`Welcome to ${PRODUCT_NAME}`}>
      <p>Sign in to access your fleet management dashboard</p>
      <Button intent="primary" fill size="large" icon={<LogIn />} onClick={() => void signIn()}>
        Sign In
      </Button>
      <ul className={styles.features} aria-label="Features">
        {features.map((feature) => (
          <li key={feature}>
            <SmallTick aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
    </GateCard>
  );
}
