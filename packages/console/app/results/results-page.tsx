import type { ClusterResultsResponse, OwnedResultListResponse } from '@quire/api';
import type { ReactNode } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { OwnUsage, useOwnUsage } from './own-usage.tsx';
import { ResultList } from './result-list.tsx';
import { UsageCard, useUsage } from './usage-card.tsx';
import { SweepCard } from './sweep-card.tsx';

const readEveryMs = 10_000;

/**
 * The stored results: all for admins, for others their own. The list is shown once the usage above
 * it has loaded or failed: the card would move the list's buttons away from a click.
 */
export function ResultsPage(): ReactNode {
  const { role } = useSession();
  return (
    <Page title="Results" about="Whole answers of queries, stored until they expire.">
      {role === 'admin' ? <AllResults /> : <OwnResults />}
    </Page>
  );
}

function AllResults(): ReactNode {
  const { call } = useSession();
  const results = useResource(
    'results',
    async (signal) =>
      (await call('/cluster/results', { signal })) as unknown as ClusterResultsResponse,
    { everyMs: readEveryMs },
  );
  const usage = useUsage();
  return (
    <Resolved of={results} what="the results">
      {({ resultMetadataList: list, brokers }) => (
        <>
          {brokers
            .filter(({ state }) => state === 'failed')
            .map(({ url, error }) => (
              <div className="notice warn" key={url}>
                <strong>The results of {url} are missing</strong>
                <p>{error}</p>
              </div>
            ))}
          <UsageCard usage={usage} results={list} />
          <SweepCard />
          {!usage.isLoading && <ResultList list={list} onChanged={results.reload} />}
        </>
      )}
    </Resolved>
  );
}

function OwnResults(): ReactNode {
  const { call } = useSession();
  const results = useResource(
    'own results',
    async (signal) =>
      (await call('/query/resultStore', {
        query: { own: 'true' },
        signal,
      })) as unknown as OwnedResultListResponse,
    { everyMs: readEveryMs },
  );
  const usage = useOwnUsage();
  return (
    <>
      <OwnUsage usage={usage} />
      <Resolved of={results} what="your results">
        {({ resultMetadataList: list }) =>
          !usage.isLoading && <ResultList list={list} onChanged={results.reload} />
        }
      </Resolved>
    </>
  );
}
