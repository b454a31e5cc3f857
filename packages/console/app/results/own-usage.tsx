import type { UsageResponse } from '@quire/api';
import type { ReactNode } from 'react';
import { counted, formatBytes } from '../format.ts';
import { useSession } from '../session.ts';
import { type Resource, useResource } from '../use-resource.ts';
import { codeOf, Failed } from '../widgets/states.tsx';
import { Badge, Card, Figure } from '../widgets/page.tsx';

/** Requests the stored bytes of the caller, and its quota, periodically. */
export function useOwnUsage(): Resource<UsageResponse> {
  const { call } = useSession();
  return useResource(
    'own usage',
    async (signal) => (await call('/query/usage', { signal })) as unknown as UsageResponse,
    { everyMs: 10_000 },
  );
}

/** The stored bytes of the caller, and its quota. */
export function OwnUsage({ usage }: { readonly usage: Resource<UsageResponse> }): ReactNode {
  // Brokers that count nothing have no such call.
  if (['ROUTE_NOT_FOUND', 'RESULT_NOT_FOUND'].includes(codeOf(usage.error) ?? '')) return null;
  if (usage.error !== undefined) return <Failed error={usage.error} onRetry={usage.reload} />;
  return (
    <Card title="Your storage">
      {usage.value === undefined ? <p className="quiet">…</p> : <Figures usage={usage.value} />}
    </Card>
  );
}

function Figures({ usage }: { readonly usage: UsageResponse }): ReactNode {
  const { resultCount, usageBytes, shareBytes, totalUsageBytes, quotaBytes } = usage;
  const limitBytes = shareBytes ?? quotaBytes;
  const usedBytes = shareBytes === null ? totalUsageBytes : usageBytes;
  return (
    <>
      <div className="figures">
        <Figure value={formatBytes(usageBytes)} label={`in ${counted(resultCount, 'result')}`} />
        {limitBytes === null ? (
          <Figure value="none" label="quota: nothing is evicted" />
        ) : (
          <>
            <Figure
              value={formatBytes(limitBytes)}
              label={shareBytes === null ? 'quota of all callers' : 'your share of the quota'}
            />
            <Figure
              value={
                <>
                  {((100 * usedBytes) / limitBytes).toFixed(1)} %{' '}
                  {usedBytes > limitBytes && <Badge tone="bad">exceeded</Badge>}
                </>
              }
              label={shareBytes === null ? 'of it in use, by all callers' : 'of it in use'}
            />
          </>
        )}
      </div>
      {limitBytes !== null && (
        <p className="quiet">
          Near the limit the largest {shareBytes === null ? 'results' : 'of your results'} older
          than a minute go first.
        </p>
      )}
    </>
  );
}
