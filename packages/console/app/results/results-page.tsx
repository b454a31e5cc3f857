import type { ClusterResultsResponse } from '@quire/api';
import type { ReactNode } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { ResultList } from './result-list.tsx';
import { UsageCard } from './usage-card.tsx';
import { SweepCard } from './sweep-card.tsx';

/** All that is stored, on all brokers. */
export function ResultsPage(): ReactNode {
  const { call } = useSession();
  const results = useResource(
    'results',
    async (signal) =>
      (await call('/cluster/results', { signal })) as unknown as ClusterResultsResponse,
    { everyMs: 10_000 },
  );
  return (
    <Page title="Results" about="Whole answers of queries, stored until they expire.">
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
            <UsageCard results={list} />
            <SweepCard />
            <ResultList list={list} onChanged={results.reload} />
          </>
        )}
      </Resolved>
    </Page>
  );
}
