// What the gateway tells Prometheus. nginx's own module for that is not in every build of it; JavaScript is in ours.
import fs from "fs";

const told = () => ngx.shared.fleetlog_metrics;

// Of one worker process, every second: of the descriptors that it has, all but a dozen are connections.
function count() {
  try {
    told().set(`worker ${ngx.worker_id}`, fs.readdirSync("/proc/self/fd").length);
  } catch (error) {
    // a system without /proc
  }
}

// The value of a variable in the text of a refusal, which so counts itself.
function refused() {
  told().incr("refused", 1, 0);
  return "";
}

function metrics(r) {
  const workers = told().items().filter((item) => item[0].startsWith("worker "));
  const open = workers.reduce((sum, item) => sum + item[1], 0);
  const limit = r.variables.fleetlog_connections * workers.length;
  r.headersOut["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8";
  r.return(
    200,
    [
      "# HELP fleetlog_gateway_connections Connections to clients and services",
      "# TYPE fleetlog_gateway_connections gauge",
      `fleetlog_gateway_connections ${open}`,
      "# HELP fleetlog_gateway_connections_limit How many there can be",
      "# TYPE fleetlog_gateway_connections_limit gauge",
      `fleetlog_gateway_connections_limit ${limit}`,
      "# HELP fleetlog_gateway_refusals_total Requests refused because a client has too much under way",
      "# TYPE fleetlog_gateway_refusals_total counter",
      `fleetlog_gateway_refusals_total ${told().get("refused") || 0}`,
      "",
    ].join("\n"),
  );
}

export default { count, refused, metrics };
