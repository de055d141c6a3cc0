"""Every check of a running product."""

import string
from dataclasses import dataclass
from typing import Any, Final, Literal

from ops.base.records.operations import PROJECTIONS


class Message(string.Formatter):
    """Renders the fields of a check's message; formats are `percentage`, `duration` and `records`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a field as text."""
        if format_spec == "percentage":
            return f"{value:.1%}"
        if format_spec == "records":
            return "1 record" if value == 1 else f"{value} records"
        return f"{value:.0f} s" if format_spec == "duration" else str(value)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that can be wrong.

    Attributes:
        name: the alert's name without `Fleetlog`.
        severity: `page`: users cannot work, or the log is in doubt; `ticket`: needs action today.
        message: fields are labels or `value` of the Prometheus alert, and columns of `query`.
        query: SQL over the tables and the common table expressions of `database.py`; a row per failure, with
            `since`, the message's fields and maybe `detail`. Empty: derived from `readiness`, if that is set.
        readiness: names of `/readyz` checks that fail for the same reason; `quarantined` is the check of a
            projection with quarantined streams.
        expression: PromQL. Every worker reports positions and lag of the whole installation, so `max by`
            combines them; a standby reports 0 for its lease.
        wait: how long the expression must hold before Prometheus alerts.
        fix: commands for the operator: names of the doctor's commands, `LOG service`, or literal commands.
    """

    name: str
    severity: Literal["page", "ticket"]
    message: str
    query: str = ""
    readiness: tuple[str, ...] = ()
    expression: str = ""
    wait: str = ""
    fix: tuple[str, ...] = ("status",)

    @property
    def alert(self) -> str:
        """The name in Prometheus and on the System screen."""
        return f"Fleetlog{self.name}"

    @property
    def runbook(self) -> str:
        """The section of `ops/alerts/README.md`."""
        return self.alert.lower()


_CLOCKS: Final = ("date -u", "sudo chronyc makestep")
_DISKS: Final = '{fstype!~"tmpfs|ramfs|overlay|squashfs|iso9660"}'
CHECKS: Final = (
    Check(
        name="ServiceDown",
        severity="page",
        message="No instance of {job} answers",
        query="""
            SELECT max(seen_at) AS since, 'fleetlog-' || name AS job
            FROM unnest('{command-api,query-api,projections}'::text[]) AS name
              LEFT JOIN processes USING (name)
            GROUP BY name
            HAVING coalesce(max(seen_at) < now() - interval '1 minute', true)
        """,
        expression="""
            max by (job) (up{job=~"fleetlog-.+"}) == 0
            or absent(up{job="fleetlog-command-api"})
            or absent(up{job="fleetlog-query-api"})
            or absent(up{job="fleetlog-projections"})
        """,
        wait="1m",
    ),
    Check(
        name="InstanceDown",
        severity="ticket",
        message="An instance of {job} does not answer, or is gone",
        query="""
            SELECT seen_at AS since, 'fleetlog-' || name AS job, instance AS detail
            FROM processes WHERE is_expected AND seen_at < now() - interval '5 minutes'
        """,
        # A container that is gone is not in the DNS either, so each name must have as many as within the
        # last day. A name without any was taken away, or all of its service is down.
        expression="""
            up{job=~"fleetlog-.+"} == 0
            or count by (job, dns_name) (up{job=~"fleetlog-.+"} == 1)
            < max_over_time(count by (job, dns_name) (up{job=~"fleetlog-.+"})[1d:1m])
        """,
        wait="5m",
    ),
    Check(
        name="Restarts",
        severity="ticket",
        message="An instance of {job} has restarted {value} times in 15 minutes",
        expression='changes(process_start_time_seconds{job=~"fleetlog-.+"}[15m]) > 2',
    ),
    Check(
        name="Errors",
        severity="page",
        message="{service} answers {value:percentage} of its requests with errors",
        query="""
            SELECT NULL::timestamptz AS since, 'Fleetlog' AS service,
              sum(errors) / sum(commands + reads) AS value
            FROM operations.samples WHERE step > now() - interval '10 minutes'
            HAVING sum(errors) > 0.02 * sum(commands + reads)
        """,
        expression="""
            sum by (service) (rate(fleetlog_http_requests_total{status=~"5.."}[5m]))
            / sum by (service) (rate(fleetlog_http_requests_total[5m])) > 0.02
        """,
        wait="2m",
    ),
    Check(
        name="LogStopped",
        severity="page",
        message="All requests are refused until an operator accepts the log",
        query="SELECT NULL::timestamptz AS since, stopped AS detail FROM log.head WHERE stopped IS NOT NULL",
        readiness=("log_stopped",),
        expression="max(fleetlog_log_stopped) == 1",
        fix=("accept",),
    ),
    Check(
        name="ClockJumped",
        severity="page",
        message="Changes are refused because a clock is wrong",
        readiness=("clock",),
        expression="max(fleetlog_append_clock_jumped) == 1",
        fix=_CLOCKS,
    ),
    Check(
        name="AppendsSlow",
        severity="ticket",
        message="One change in a hundred takes {value:duration} or more to be committed",
        expression="""
            histogram_quantile(0.99, sum by (le) (rate(fleetlog_append_duration_seconds_bucket[5m]))) > 0.5
        """,
        wait="5m",
    ),
    Check(
        name="TasksFailing",
        severity="ticket",
        message="Background tasks of {instance} fail repeatedly",
        readiness=("tasks",),
        expression='fleetlog_check_failing{check="tasks"} == 1',
        wait="2m",
    ),
    Check(
        name="LogLinesLost",
        severity="ticket",
        message="{instance} cannot write its log",
        readiness=("logging",),
        expression="increase(fleetlog_log_lines_lost_total[15m]) > 0",
        fix=("df -h",),
    ),
    Check(
        name="ProjectionLags",
        severity="ticket",
        message="{projection} is {value:duration} behind the log",
        query="""
            SELECT now() - lag AS since, projection, extract(epoch FROM lag) AS value
            FROM (
              SELECT DISTINCT ON ("check") "check" AS projection, (detail ->> 'head')::bigint AS head,
                (detail ->> 'lag_seconds')::float * interval '1 second'
                + greatest(now() - seen_at, interval '0') AS lag
              FROM process_checks WHERE name = 'projections' AND detail ->> 'head' IS NOT NULL
              ORDER BY "check", leads DESC, seen_at DESC
            ) AS reported LEFT JOIN read.positions USING (projection)
            WHERE lag > interval '5 seconds' AND coalesce(position, 0) < head
        """,
        expression="max by (projection) (fleetlog_projection_lag_seconds) > 5",
        wait="2m",
        fix=("projections", "LOG projections"),
    ),
    Check(
        name="ProjectionNotLed",
        severity="page",
        message="No worker holds the lease of the projection {projection}",
        query="""
            SELECT max(seen_at) FILTER (WHERE leads) AS since, projection,
              max(error) FILTER (WHERE is_live) AS detail
            FROM projections LEFT JOIN process_checks ON "check" = projection AND name = 'projections'
            GROUP BY projection
            HAVING coalesce(max(seen_at) FILTER (WHERE leads) < now() - interval '1 minute', true)
        """,
        readiness=PROJECTIONS,
        expression="""
            count by (projection) (last_over_time(fleetlog_projection_leading[1d]))
            unless max by (projection) (fleetlog_projection_leading) == 1
        """,
        wait="1m",
        fix=("projections", "LOG projections"),
    ),
    Check(
        name="Quarantined",
        severity="page",
        message="{value:records} of {projection} quarantined, shown in the former state",
        query="""
            SELECT min(since) AS since, projection, count(*) AS value
            FROM read.quarantined_streams GROUP BY projection
        """,
        readiness=("quarantined",),
        expression="max by (projection) (fleetlog_projection_quarantined_streams) > 0",
        wait="1m",
        fix=("projections", "retry"),
    ),
    Check(
        name="ReadsStale",
        severity="ticket",
        message="{value:percentage} of the queries that follow a write do not show it within 2 s",
        expression="""
            sum(rate(fleetlog_read_your_writes_timeouts_total[5m]))
            / sum(rate(fleetlog_read_your_writes_wait_seconds_count[5m])) > 0.01
        """,
        wait="2m",
    ),
    Check(
        name="ReplicaUnfit",
        severity="ticket",
        message="{instance} cannot use its read replica, so it reads from the primary",
        readiness=("replica",),
        expression="fleetlog_replica_unfit == 1",
        wait="5m",
        fix=("LOG query-api",),
    ),
    Check(
        name="RelayLags",
        severity="ticket",
        message="Kafka is {value:duration} behind the log",
        query="""
            SELECT now() - lag AS since, extract(epoch FROM lag) AS value
            FROM (
              SELECT (detail ->> 'lag_seconds')::float * interval '1 second'
                + CASE WHEN (detail ->> 'lag_events')::bigint > 0
                  AND NOT (leads AND is_live AND error IS NULL)
                  THEN greatest(now() - seen_at, interval '0') ELSE interval '0' END AS lag
              FROM process_checks WHERE "check" = 'relay' AND is_expected
              ORDER BY leads DESC, seen_at DESC LIMIT 1
            ) AS reported
            WHERE lag > interval '60 seconds'
        """,
        expression="max(fleetlog_relay_lag_seconds) > 60",
        wait="5m",
        fix=("LOG relay",),
    ),
    Check(
        name="RelayNotLed",
        severity="ticket",
        message="No relay publishes to Kafka",
        query="""
            SELECT CASE WHEN count(error) = 0 THEN max(seen_at) END AS since,
              max(error) FILTER (WHERE is_live) AS detail
            FROM process_checks WHERE "check" = 'relay' AND is_expected
            HAVING NOT bool_or(is_live AND leads AND error IS NULL)
        """,
        readiness=("relay",),
        expression="""
            count(last_over_time(fleetlog_relay_leading[1d])) unless max(fleetlog_relay_leading) == 1
        """,
        wait="2m",
        fix=("LOG relay",),
    ),
    Check(
        name="NotificationsFail",
        severity="ticket",
        message="Notifications of subscription {subscription} have failed for an hour, or were given up",
        query="""
            SELECT coalesce(given_up_at, failing_since) AS since, id AS subscription, reason AS detail
            FROM notify.cursors JOIN read.subscriptions ON id = subscription_id
            WHERE record ->> 'status' = 'active'
              AND (given_up_at IS NOT NULL OR failing_since < now() - interval '1 hour')
        """,
        readiness=("notify",),
        expression="max by (subscription) (fleetlog_notify_failing_seconds) > 3600",
        wait="1m",
        fix=("LOG notify",),
    ),
    Check(
        name="MailNotConfigured",
        severity="ticket",
        message="Subscriptions by e-mail are not served",
        readiness=("mail",),
        expression='max by (check) (fleetlog_check_failing{check="mail"}) == 1',
        wait="5m",
        fix=("LOG notify",),
    ),
    Check(
        name="ViewsNotRecorded",
        severity="page",
        message="Accesses to personal data cannot be recorded",
        expression="""
            time() - min(fleetlog_views_waiting_timestamp_seconds > 0) > 15
            or sum(increase(fleetlog_view_refusals_total[5m])) > 0
        """,
    ),
    Check(
        name="NotSealed",
        severity="ticket",
        message="Events have had no seal for 10 minutes, or no worker seals",
        query="""
            SELECT coalesce(waiting, led) AS since FROM (
              SELECT bool_or(leads AND is_live) AS is_led, max(seen_at) FILTER (WHERE leads) AS led, min(
                to_timestamp((detail ->> 'unsealed_since')::float)
              ) FILTER (WHERE leads AND is_live) AS waiting
              FROM process_checks WHERE "check" = 'sealing' AND is_expected
            ) AS sealing
            WHERE waiting < now() - interval '10 minutes'
              OR NOT is_led AND coalesce(led < now() - interval '1 minute', true)
        """,
        expression="""
            time() - max(fleetlog_sealing_waiting_timestamp_seconds > 0) > 600
            or max(max_over_time(fleetlog_sealing_leading[1d])) == 1 unless max(fleetlog_sealing_leading) == 1
        """,
        wait="10m",
        fix=("verify", "LOG projections"),
    ),
    Check(
        name="SealsDoNotFit",
        severity="page",
        message="The log does not match its seals",
        # Of a verification's report, the lines in capitals name what does not match.
        query="""
            SELECT NULL::timestamptz AS since, error AS detail
            FROM process_checks WHERE "check" = 'sealing' AND is_live AND NOT ok
            UNION ALL
            SELECT finished_at, coalesce((
              SELECT string_agg(line, '; ')
              FROM regexp_split_to_table(words, '\\n') AS line WHERE line LIKE 'THE %'
            ), words)
            FROM (SELECT * FROM operations.verifications ORDER BY number DESC LIMIT 1) AS verification
            WHERE NOT ok
        """,
        readiness=("sealing",),
        expression='sum(increase(fleetlog_sealing_failures_total{error="seals do not fit"}[15m])) > 0',
        fix=("verify",),
    ),
    Check(
        name="ErasureWaits",
        severity="ticket",
        message="An erasure has no receipt after ten minutes",
        # The first condition is that of the index `revisions_of_privacy`.
        query="""
            SELECT min(moment) AS since, (array_agg(coalesce(
              steps #>> '{waits,why}',
              CASE WHEN steps IS NULL THEN 'no worker has started it' ELSE 'in progress' END
            ) ORDER BY moment))[1] AS detail
            FROM read.revisions LEFT JOIN privacy.erasures USING (entity, entity_id, version)
            WHERE split_part(type, '.', 2) IN ('restricted', 'hold_set', 'restriction_lifted', 'erased')
              AND split_part(type, '.', 2) = 'erased' AND receipt IS NULL
            HAVING min(moment) < now() - interval '10 minutes'
        """,
        readiness=("erasing",),
        expression="time() - max(fleetlog_erasing_waiting_timestamp_seconds > 0) > 600",
        wait="1m",
        fix=("LOG projections",),
    ),
    Check(
        name="WitnessAway",
        severity="ticket",
        message="{witness} has not received or stamped checkpoints for an hour",
        query="""
            SELECT to_timestamp(away.value::float) AS since, away.key AS witness
            FROM process_checks, json_each_text(detail -> 'away_since') AS away
            WHERE "check" = 'sealing' AND is_live
              AND to_timestamp(away.value::float) < now() - interval '1 hour'
        """,
        expression="max by (witness) (fleetlog_witness_away) == 1",
        wait="1h",
    ),
    Check(
        name="TokensRefused",
        severity="ticket",
        message="{value} requests in 5 minutes had invalid access tokens",
        expression="""
            sum(increase(fleetlog_sign_in_refusals_total{reason!~"missing|expired|revoked"}[5m])) > 100
        """,
        wait="1m",
    ),
    Check(
        name="GatewayFull",
        severity="page",
        message="The gateway uses {value:percentage} of its connections",
        expression="""
            max by (instance) (fleetlog_gateway_connections / fleetlog_gateway_connections_limit) > 0.8
        """,
        wait="1m",
    ),
    Check(
        name="LimitReached",
        severity="ticket",
        message="{value} requests were refused in 5 minutes because too many were running",
        # A client that is refused now and then polls too fast; a server without free streams is full.
        expression="""
            sum(increase(fleetlog_gateway_refusals_total[5m])) > 100
            or sum by (limit) (increase(fleetlog_limit_refusals_total{limit!="streams"}[5m])) > 100
            or sum by (limit) (increase(fleetlog_limit_refusals_total{limit="streams"}[5m])) > 0
        """,
        wait="1m",
    ),
    Check(
        name="PoolExhausted",
        severity="ticket",
        message="Requests of {instance} wait for a database connection",
        # A replica whose pool is exhausted is reported by ReplicaUnfit.
        expression="""
            rate(fleetlog_database_pool_wait_seconds_total{server=~"primary.*"}[5m]) > 0.5
            or increase(fleetlog_database_pool_timeouts_total{server=~"primary.*"}[5m]) > 0
        """,
        wait="2m",
    ),
    # In Prometheus, the disks of every host with a node_exporter: PostgreSQL, Kafka and sealing stop on a
    # full disk.
    Check(
        name="DiskFills",
        severity="ticket",
        message="{mountpoint} of {instance} is almost full, or will be in a day",
        query="""
            SELECT NULL::timestamptz AS since, 'The disk' AS mountpoint, instance
            FROM disk LEFT JOIN (
              SELECT (pg_database_size(current_database()) - database_bytes) * 86400.0
                / extract(epoch FROM now() - step) AS bytes_a_day
              FROM operations.sizes
              WHERE step BETWEEN now() - interval '1 day' AND now() - interval '1 hour'
              ORDER BY step LIMIT 1
            ) AS growth ON true
            WHERE free < 0.15 * total OR free < 0.4 * total AND bytes_a_day > free
        """,
        expression=f"""
            (node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.15
            or node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.4
            and predict_linear(node_filesystem_avail_bytes{_DISKS}[6h], 86400) < 0)
            and node_filesystem_readonly{_DISKS} == 0
        """,
        wait="30m",
        fix=("df -h",),
    ),
    Check(
        name="DiskFull",
        severity="page",
        message="{mountpoint} of {instance} has {value:percentage} left",
        query="""
            SELECT NULL::timestamptz AS since, 'The disk' AS mountpoint, instance, free / total AS value
            FROM disk WHERE free < 0.05 * total
        """,
        expression=f"""
            node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.05
            and node_filesystem_readonly{_DISKS} == 0
        """,
        wait="5m",
        fix=("df -h",),
    ),
    Check(
        name="BackupOld",
        severity="ticket",
        message="No backup has finished for 30 hours, or none is reported",
        # A younger instance without a backup is none too late.
        query="""
            SELECT last + interval '30 hours' AS since FROM (SELECT coalesce(
              (SELECT max(finished_at) FROM operations.backups),
              (SELECT min(applied) FROM log.schema_revisions)
            ) AS last) AS backup
            WHERE last < now() - interval '30 hours'
        """,
        expression="""
            time() - max(last_over_time(fleetlog_backup_finished_timestamp_seconds[7d])) > 108000
            or absent_over_time(fleetlog_backup_finished_timestamp_seconds[7d])
        """,
        wait="15m",
        fix=("backup",),
    ),
    Check(
        name="KeyBackupOld",
        severity="page",
        message="No backup of the keys has finished for an hour",
        expression="time() - max(last_over_time(fleetlog_key_backup_finished_timestamp_seconds[7d])) > 3600",
        wait="5m",
        fix=("key_backup",),
    ),
)
