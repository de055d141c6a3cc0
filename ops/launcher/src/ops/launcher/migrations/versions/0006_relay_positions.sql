-- How far the relay has published to each Kafka cluster; a new cluster begins before the first event.
CREATE TABLE read.relay_positions (
  cluster text PRIMARY KEY,
  position bigint NOT NULL,
  -- While set, what lies between is published again on purpose.
  rewound_from bigint,
  acknowledged timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT, UPDATE ON read.relay_positions TO fleetlog_projector;
GRANT SELECT ON read.relay_positions TO fleetlog_reader;
