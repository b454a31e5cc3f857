import type { ClusterHealthResponse, SettingsResponse, StoredResult } from '@quire/api';
import type { ReactNode } from 'react';
import { formatBytes, formatSpan } from '../format.ts';
import { useSession } from '../session.ts';
import { type Resource, useNow, useResource } from '../use-resource.ts';
import { Badge, Card, Figure } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { OwnerUsage, type ShareOf } from './owner-usage.tsx';
import { shownEndMs, storedOverTime } from './stored-over-time.ts';

interface Usage {
  readonly usageBytes: number;
  readonly quotaBytes: number | undefined;
  readonly criticalPercent: number;
  readonly targetPercent: number;
  /** Undefined when each principal may use the whole quota. */
  readonly shareOf: ShareOf | undefined;
}

const chart = { width: 720, height: 150, left: 64, bottom: 22, top: 10 };

/** Requests the usage of all brokers and their settings, periodically. */
export function useUsage(): Resource<Usage> {
  const { call } = useSession();
  return useResource(
    'usage',
    async (signal): Promise<Usage> => {
      const [health, settings] = await Promise.all([
        call('/cluster/health', { signal }),
        call('/cluster/settings', { signal }),
      ]);
      return usageOf(
        health as unknown as ClusterHealthResponse,
        settings as unknown as SettingsResponse,
      );
    },
    { everyMs: 10_000 },
  );
}

/** The stored bytes, compared with the quota and its thresholds, in the past and in the future. */
export function UsageCard({
  usage,
  results,
}: {
  readonly usage: Resource<Usage>;
  readonly results: readonly StoredResult[];
}): ReactNode {
  return (
    <Card title="Storage">
      <Resolved of={usage} what="the usage">
        {(value) => (
          <div className="usage">
            <div className="figures">
              <Figure
                value={formatBytes(value.usageBytes)}
                label="in use, including results being written"
              />
              {value.quotaBytes === undefined ? (
                <Figure value="none" label="quota: nothing is evicted" />
              ) : (
                <>
                  <Figure value={formatBytes(value.quotaBytes)} label="quota" />
                  <Figure
                    value={
                      <>
                        {((100 * value.usageBytes) / value.quotaBytes).toFixed(1)} %{' '}
                        <Badge tone={toneOf(value)}>{wordOf(value)}</Badge>
                      </>
                    }
                    label={`evicts above ${value.criticalPercent} %, down to ${value.targetPercent} %`}
                  />
                </>
              )}
            </div>
            <OverTime results={results} usage={value} />
            <OwnerUsage results={results} shareOf={value.shareOf} />
          </div>
        )}
      </Resolved>
    </Card>
  );
}

function usageOf({ brokers }: ClusterHealthResponse, { settings }: SettingsResponse): Usage {
  const cleaners = brokers.flatMap(({ health }) =>
    health?.cleaner === undefined ? [] : [health.cleaner],
  );
  const percentOf = (key: string): number =>
    Number.parseFloat(settings.find((setting) => setting.key.endsWith(key))?.value ?? '100');
  const quotas = cleaners.flatMap(({ quotaBytes }) => (quotaBytes === null ? [] : [quotaBytes]));
  const quotaBytes =
    quotas.length === 0 ? undefined : quotas.reduce((sum, bytes) => sum + bytes, 0);
  return {
    usageBytes: cleaners.reduce((sum, { usageBytes }) => sum + usageBytes, 0),
    quotaBytes,
    shareOf:
      quotaBytes === undefined
        ? undefined
        : sharesOf(settings, { quotaBytes, brokerCount: quotas.length }),
    criticalPercent: percentOf('criticalStorageThresholdPercent'),
    targetPercent: percentOf('targetStorageThresholdPercent'),
  };
}

const ownShareKey = /^engine\.auth\.principal\.(.+)\.quota\.maxMB$/;

/** The quotas of the settings, on all brokers together. */
function sharesOf(
  settings: SettingsResponse['settings'],
  { quotaBytes, brokerCount }: { readonly quotaBytes: number; readonly brokerCount: number },
): ShareOf | undefined {
  const percentSetting = settings.find(
    ({ key }) => key === 'engine.broker.pagination.quota.principal.maxPercent',
  );
  const percent = Number.parseFloat(percentSetting?.value ?? '100');
  const own = new Map<string, number>();
  for (const { key, value } of settings) {
    const name = ownShareKey.exec(key)?.[1];
    const megabytes = Number.parseFloat(value ?? '');
    if (name !== undefined && megabytes > 0) {
      own.set(name, Math.min(quotaBytes, megabytes * 1024 * 1024 * brokerCount));
    }
  }
  if (percent >= 100 && own.size === 0) return undefined;
  return (name) => own.get(name) ?? (percent < 100 ? (quotaBytes * percent) / 100 : undefined);
}

function toneOf({
  usageBytes,
  quotaBytes = Infinity,
  criticalPercent,
  targetPercent,
}: Usage): 'good' | 'warn' | 'bad' {
  const percent = (100 * usageBytes) / quotaBytes;
  return percent > criticalPercent ? 'bad' : percent > targetPercent ? 'warn' : 'good';
}

function wordOf(usage: Usage): string {
  return { good: 'enough space', warn: 'filling up', bad: 'evicting' }[toneOf(usage)];
}

/** The bytes of the current results over time, until the last one expires if none is renewed. */
function OverTime({
  results,
  usage,
}: {
  readonly results: readonly StoredResult[];
  readonly usage: Usage;
}): ReactNode {
  const nowMs = useNow(5000);
  // About as wide as it is shown: letters must not shrink with the page.
  const width = matchMedia('(width <= 800px)').matches ? 360 : chart.width;
  const steps = storedOverTime(results);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return null;
  const lines =
    usage.quotaBytes === undefined
      ? []
      : [
          { name: 'quota', bytes: usage.quotaBytes },
          { name: 'critical', bytes: (usage.quotaBytes * usage.criticalPercent) / 100 },
          { name: 'target', bytes: (usage.quotaBytes * usage.targetPercent) / 100 },
        ];
  const peak = Math.max(...steps.map(({ bytes }) => bytes), 1);
  // A quota far above the stored bytes would flatten the chart: then only the figures show it.
  const shownLines = lines.filter(({ bytes }) => bytes <= peak * 8);
  const top = Math.max(peak, ...shownLines.map(({ bytes }) => bytes)) * 1.08;
  const endMs = shownEndMs(steps, nowMs);
  const span = Math.max(1, endMs - first.timeMs);
  const xOf = (ms: number): number =>
    chart.left + Math.min(1, (ms - first.timeMs) / span) * (width - chart.left - 8);
  const yOf = (bytes: number): number =>
    chart.height - chart.bottom - (bytes / top) * (chart.height - chart.bottom - chart.top);
  const path = steps
    .map(
      ({ timeMs, bytes }, index) =>
        `${index === 0 ? 'M' : 'H'}${xOf(timeMs)}${index === 0 ? ` ${yOf(0)}` : ''}V${yOf(bytes)}`,
    )
    .join('');
  const x = xOf(Math.min(Math.max(nowMs, first.timeMs), last.timeMs));
  return (
    <figure className="usage-chart">
      <svg
        viewBox={`0 0 ${width} ${chart.height}`}
        role="img"
        aria-label={`Stored bytes over time, at most ${formatBytes(peak)}`}
      >
        <path d={`${path}V${yOf(0)}Z`} className="usage-area" />
        {shownLines.map(({ name, bytes }) => (
          <g key={name}>
            <line
              x1={chart.left}
              x2={width - 8}
              y1={yOf(bytes)}
              y2={yOf(bytes)}
              className={`usage-line ${name}`}
            />
            <text x={width - 10} y={yOf(bytes) - 3} textAnchor="end">
              {name}
            </text>
          </g>
        ))}
        {[0, peak].map((bytes) => (
          <text key={bytes} x={chart.left - 6} y={yOf(bytes) + 4} textAnchor="end">
            {formatBytes(bytes)}
          </text>
        ))}
        <line x1={x} x2={x} y1={chart.top} y2={yOf(0)} className="usage-now" />
        {x - chart.left > 110 && (
          <text x={chart.left} y={chart.height - 5}>
            {formatSpan(nowMs - first.timeMs)} ago
          </text>
        )}
        <text x={x} y={chart.height - 5} textAnchor="middle">
          now
        </text>
        <text x={width - 8} y={chart.height - 5} textAnchor="end">
          in {formatSpan(endMs - nowMs)}
        </text>
      </svg>
      <figcaption className="quiet">
        The bytes of the current results over time: each until it expires, unless it is renewed.
        {endMs < last.timeMs && ` The last one expires in ${formatSpan(last.timeMs - nowMs)}.`}
      </figcaption>
    </figure>
  );
}
