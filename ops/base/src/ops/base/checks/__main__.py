"""`python -m ops.base.checks > ops/alerts/fleetlog.rules.yaml`: generate the alert rules."""

import sys

from ops.base.checks.prometheus import alert_rules

if __name__ == "__main__":
    sys.stdout.write(alert_rules())
