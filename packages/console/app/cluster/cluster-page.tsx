import type { ClusterHealthResponse, ControllerHealthResponse, SettingsResponse } from '@quire/api';
import { type ReactNode, useState } from 'react';
import { formatBytes, formatSpan } from '../format.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';

type BrokerState = ClusterHealthResponse['brokers'][number];

/** Who runs, how they are, and with which settings. */
export function ClusterPage(): ReactNode {
  const { call } = useSession();
  const health = useResource(
    'cluster',
    async (signal) => ({
      cluster: (await call('/cluster/health', { signal })) as unknown as ClusterHealthResponse,
      controller: (await call('/health', { signal })) as unknown as ControllerHealthResponse,
    }),
    { everyMs: 5000 },
  );
  return (
    <Page title="Cluster" about="Brokers, their workers and stores, and the settings in force.">
      <Resolved of={health} what="the cluster">
        {({ cluster, controller }) => (
          <div className="columns">
            {cluster.brokers.map((broker) => (
              <BrokerCard key={broker.url} broker={broker} />
            ))}
            <Card
              title={
                <>
                  Controller <Badge tone="good">up</Badge>
                </>
              }
            >
              <dl className="facts">
                <Fact name="Version" value={controller.version} />
                <Fact name="Up for" value={formatSpan(controller.uptimeMs)} />
                {controller.workers !== undefined && <Fact name="Workers" value={workersText(controller.workers)} />}
                {(controller.settingsProblems ?? 0) > 0 && (
                  <Fact name="Settings" value={`${controller.settingsProblems} problems in the file`} />
                )}
              </dl>
            </Card>
          </div>
        )}
      </Resolved>
      <SettingsCard />
    </Page>
  );
}

function BrokerCard({ broker }: { readonly broker: BrokerState }): ReactNode {
  const nowMs = useNow(5000);
  const { url, state, brokerId, version, error, health, cleaning } = broker;
  return (
    <Card
      title={
        <>
          {brokerId ?? url} <Badge tone={state === 'up' ? 'good' : state === 'leaving' ? 'warn' : 'bad'}>{state}</Badge>
        </>
      }
    >
      {error !== null && (
        <div className="notice bad">
          <p>{error}</p>
        </div>
      )}
      <dl className="facts">
        <Fact name="Address" value={url} />
        {version !== null && <Fact name="Version" value={version} />}
        {health !== null && (
          <>
            <Fact name="Up for" value={formatSpan(health.uptimeMs)} />
            <Fact name="Store" value={health.storeType} />
            <Fact name="Queries" value={`${health.queriesRunning} running, ${health.queriesQueued} waiting`} />
            {health.workers !== undefined && <Fact name="Workers" value={workersText(health.workers)} />}
            {health.cleaner !== undefined && (
              <>
                <Fact
                  name="Storage"
                  value={`${formatBytes(health.cleaner.usageBytes)}${health.cleaner.quotaBytes === null ? ', no quota' : ` of ${formatBytes(health.cleaner.quotaBytes)}`}`}
                />
                <Fact
                  name="Last sweep"
                  value={
                    health.cleaner.lastSweepMs === null
                      ? 'none yet'
                      : `${formatSpan(nowMs - health.cleaner.lastSweepMs)} ago, freed ${formatBytes(health.cleaner.freedBytes)}`
                  }
                />
                {health.cleaner.writesRefusedBecause !== null && (
                  <Fact name="Writes refused" value={health.cleaner.writesRefusedBecause} />
                )}
              </>
            )}
          </>
        )}
        <Fact
          name="Expiry job"
          value={
            cleaning.error ??
            (cleaning.lastRunMs === null
              ? 'has not run yet'
              : `ran ${formatSpan(nowMs - cleaning.lastRunMs)} ago, deleted ${cleaning.deletedCount}`)
          }
        />
      </dl>
    </Card>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function workersText({
  count,
  busyCount,
  killedCount,
}: {
  readonly count: number;
  readonly busyCount: number;
  readonly killedCount: number;
}): string {
  return `${busyCount} of ${count} busy, ${killedCount} killed since the start`;
}

function SettingsCard(): ReactNode {
  const { call } = useSession();
  const [filter, setFilter] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(true);
  const settings = useResource(
    'settings',
    async (signal) => (await call('/cluster/settings', { signal })) as unknown as SettingsResponse,
  );
  return (
    <Card
      title="Settings in force"
      flush
      actions={
        <>
          <label className="check">
            <input type="checkbox" checked={onlyChanged} onChange={(event) => setOnlyChanged(event.target.checked)} />
            only what was set
          </label>
          <input
            aria-label="Filter settings"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </>
      }
    >
      <Resolved of={settings} what="the settings">
        {({ settings: all, problems }) => {
          const shown = all.filter(
            ({ key, isDefault }) => key.toLowerCase().includes(filter.toLowerCase()) && !(onlyChanged && isDefault),
          );
          return (
            <>
              {problems.length > 0 && (
                <div className="notice warn">
                  <strong>The file is not valid now; the last good settings hold</strong>
                  {problems.map((problem) => (
                    <p key={problem}>{problem}</p>
                  ))}
                </div>
              )}
              {shown.length === 0 ? (
                <Empty title="No setting matches" />
              ) : (
                <table className="list">
                  <thead>
                    <tr>
                      <th>Setting</th>
                      <th>Value</th>
                      <th>From</th>
                      <th>Change</th>
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map(({ key, value, source, isLive }) => (
                      <tr key={key}>
                        <td>
                          <code>{key}</code>
                        </td>
                        <td className="value">{value === '' ? <span className="null">not set</span> : <code>{value}</code>}</td>
                        <td className="quiet">{source}</td>
                        <td className="quiet">{isLive ? 'live' : 'restart'}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </>
          );
        }}
      </Resolved>
    </Card>
  );
}
