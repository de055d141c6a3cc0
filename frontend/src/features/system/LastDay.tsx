import { Section } from "@/shared/form/Section";
import { PlainTable } from "@/shared/ui/PlainTable";
import { combined, hoursOf, known, pathsOf, SERIES, type Series, summary } from "./series";
import styles from "./system.module.css";
import type { Samples } from "./systemState";

export function LastDay({ samples }: { samples: Samples }) {
  if (SERIES.every(({ name }) => known(samples[name]).length === 0)) {
    return (
      <Section title="Last 24 hours">
        <p className="fl-muted">No samples yet.</p>
      </Section>
    );
  }
  return (
    <Section title="Last 24 hours">
      <div className={styles.charts}>
        {SERIES.map((series) => (
          <Chart key={series.name} samples={samples} series={series} />
        ))}
      </div>
      <details className={styles.table}>
        <summary>Show as an hourly table</summary>
        <PlainTable
          label="Last 24 hours, hourly"
          columns={[
            { header: "Hour", cell: ({ begin }) => begin, kind: "code" },
            ...SERIES.map(({ name, title, format }) => ({
              header: title,
              kind: "amount" as const,
              cell: ({ values }: ReturnType<typeof hoursOf>[number]) =>
                values[name] === undefined ? "–" : format(values[name]),
            })),
          ]}
          rows={hoursOf(samples)}
          rowKey={({ begin }, index) => `${index} ${begin}`}
        />
      </details>
    </Section>
  );
}

/** A chart from 0 to the maximum, with the total of a count or the last value of a duration. */
function Chart({ samples, series }: { samples: Samples; series: Series }) {
  const values = samples[series.name];
  const measured = known(values);
  const main = series.isCount ? combined(values, series) : measured.at(-1);
  const top = Math.max(0, ...measured);
  const step = series.isCount ? ` in ${samples.step_seconds / 60} min` : "";
  const { line, area } = pathsOf(values, top);
  return (
    <figure className={styles.chart} data-bad={series.isProblem || undefined}>
      <figcaption>
        {series.title}
        <strong>{main === undefined ? "–" : series.format(main)}</strong>
      </figcaption>
      <svg
        role="img"
        aria-label={summary(samples, series)}
        viewBox={`0 0 ${values.length} 1`}
        preserveAspectRatio="none"
      >
        <path className={styles.area} d={area} />
        <path className={styles.curve} d={line} />
      </svg>
      <p className="fl-muted fl-flex fl-between fl-tiny" aria-hidden>
        <span>24 h ago</span>
        <span>{main === undefined ? "no samples" : `up to ${series.format(top)}${step}`}</span>
        <span>now</span>
      </p>
    </figure>
  );
}
