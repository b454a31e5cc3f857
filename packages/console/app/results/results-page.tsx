import type { ClusterResultsResponse } from '@quire/api';
import { type ReactNode, useMemo } from 'react';
import { QueryHistory } from '../query/history.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { readOwnResults } from './own-results.ts';
import { ResultList } from './result-list.tsx';
import { UsageCard } from './usage-card.tsx';
import { SweepCard } from './sweep-card.tsx';

const readEveryMs = 10_000;

/** The stored results: for admins of all brokers, for others of the queries that they ran here. */
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
          <UsageCard results={list} />
          <SweepCard />
          <ResultList list={list} onChanged={results.reload} />
        </>
      )}
    </Resolved>
  );
}

function OwnResults(): ReactNode {
  const { call, name } = useSession();
  const history = useMemo(() => new QueryHistory(name), [name]);
  const results = useResource(
    'own results',
    (signal) =>
      readOwnResults(
        call,
        history.read().flatMap(({ requestId }) => requestId ?? []),
        signal,
      ),
    { everyMs: readEveryMs },
  );
  return (
    <Resolved of={results} what="your results">
      {(list) => (
        <>
          <ResultList list={list} onChanged={results.reload} />
          <p className="quiet">
            These are the results of queries that you ran in this browser. Those of programs are
            read by their ids.
          </p>
        </>
      )}
    </Resolved>
  );
}
