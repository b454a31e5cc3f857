import type { ClusterHealthResponse, ControllerHealthResponse } from '@quire/api';
import type { ReactNode } from 'react';
import { formatBytes, formatSpan } from '../format.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { Badge, Card, Fact, Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { SettingsCard } from './settings-card.tsx';

type BrokerState = ClusterHealthResponse['brokers'][number];

/** The processes of the cluster, their health, and their settings. */
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
                  Controller{' '}
                  <Badge tone={controller.status === 'ok' ? 'good' : 'bad'}>
                    {controller.status === 'ok' ? 'up' : 'degraded'}
                  </Badge>
                </>
              }
            >
              <dl className="facts">
                <Fact name="Version" value={controller.version} />
                <Fact name="Up for" value={formatSpan(controller.uptimeMs)} />
                {controller.engine !== undefined && (
                  <Fact name="Engine" value={engineText(controller.engine)} />
                )}
                {controller.workers !== undefined && (
                  <Fact name="Workers" value={workersText(controller.workers)} />
                )}
                {(controller.settingsProblems ?? 0) > 0 && (
                  <Fact
                    name="Settings"
                    value={`${controller.settingsProblems} problems in the file`}
                  />
                )}
              </dl>
            </Card>
          </div>
        )}
      </Resolved>
      <SettingsCard brokers={health.value?.cluster.brokers ?? []} />
    </Page>
  );
}

/** The state of the cluster behind the engine, and its problem if it does not answer. */
function engineText({ state, problem }: NonNullable<ControllerHealthResponse['engine']>): string {
  return problem === null ? state : `${state}: ${problem}`;
}

function BrokerCard({ broker }: { readonly broker: BrokerState }): ReactNode {
  const nowMs = useNow(5000);
  const { url, state, brokerId, version, error, health, cleaning } = broker;
  return (
    <Card
      title={
        <>
          {brokerId ?? url}{' '}
          <Badge tone={state === 'up' ? 'good' : state === 'leaving' ? 'warn' : 'bad'}>
            {state}
          </Badge>
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
            {health.engine !== undefined && (
              <Fact name="Engine" value={engineText(health.engine)} />
            )}
            <Fact
              name="Queries"
              value={`${health.queriesRunning} running, ${health.queriesQueued} waiting`}
            />
            {health.workers !== undefined && (
              <Fact name="Workers" value={workersText(health.workers)} />
            )}
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
