// The gateway's metrics for Prometheus. nginx's stub_status module is not in every build; njs is in the wheel's.
import fs from "fs";

const metricsStore = () => ngx.shared.fleetlog_metrics;

// Runs in each worker every second. All but a dozen of a worker's descriptors are connections.
function count() {
  try {
    metricsStore().set(`worker ${ngx.worker_id}`, fs.readdirSync("/proc/self/fd").length);
  } catch (error) {
    // a system without /proc
  }
}

// The value of a variable in the body of a refusal: its evaluation counts the refusal.
function refused() {
  metricsStore().incr("refused", 1, 0);
  return "";
}

function metrics(r) {
  const workers = metricsStore().items().filter((item) => item[0].startsWith("worker "));
  const open = workers.reduce((sum, item) => sum + item[1], 0);
  const limit = r.variables.fleetlog_connections * workers.length;
  r.headersOut["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8";
  r.return(
    200,
    [
      "# HELP fleetlog_gateway_connections Connections to clients and services",
      "# TYPE fleetlog_gateway_connections gauge",
      `fleetlog_gateway_connections ${open}`,
      "# HELP fleetlog_gateway_connections_limit The largest possible number of connections",
      "# TYPE fleetlog_gateway_connections_limit gauge",
      `fleetlog_gateway_connections_limit ${limit}`,
      "# HELP fleetlog_gateway_refusals_total Requests refused because a client has too many at once",
      "# TYPE fleetlog_gateway_refusals_total counter",
      `fleetlog_gateway_refusals_total ${metricsStore().get("refused") || 0}`,
      "",
    ].join("\n"),
  );
}

export default { count, refused, metrics };
