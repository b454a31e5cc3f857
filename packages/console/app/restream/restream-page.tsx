import type { RestreamResponse } from '@quire/client';
import { type ReactNode, useRef } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Page } from '../widgets/page.tsx';
import { pointsMax } from '../widgets/sparkline.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';
import { JobCard } from './job-card.tsx';
import { StartForm } from './start-form.tsx';

/**
 * Rebuilds a real-time table from its stream into a new one, and follows each job stage by stage.
 */
export function RestreamPage({ table }: { readonly table: string | undefined }): ReactNode {
  const { call } = useSession();
  const lags = useRef(new Map<string, readonly number[]>());
  const jobs = useResource(
    'restreams',
    async (signal) => {
      const [{ restreams: list }, { tables }] = (await Promise.all([
        call('/restreams', { signal }),
        call('/tables', { query: { type: 'REALTIME' }, signal }),
      ])) as unknown as [
        { readonly restreams: readonly RestreamResponse[] },
        { readonly tables: readonly string[] },
      ];
      for (const { jobId, status, tableStreamProgress } of list) {
        if (status !== 'TABLE_STREAM' || tableStreamProgress.lastProbedLag < 0) continue;
        const before = lags.current.get(jobId) ?? [];
        lags.current.set(jobId, [...before, tableStreamProgress.lastProbedLag].slice(-pointsMax));
      }
      return { list, tables };
    },
    { everyMs: 1000 },
  );
  const tables = jobs.value?.tables ?? [];
  return (
    <Page
      title="Restream"
      about="Rebuilds a real-time table from its stream into a new one, while the old one serves."
    >
      <StartForm table={table} tables={tables} onStarted={jobs.reload} />
      <Resolved of={jobs} what="the jobs">
        {({ list }) =>
          list.length === 0 ? (
            <Empty title="No table has been rebuilt yet">
              <p>
                Start a job above; it continues when this page is closed or the server restarts.
              </p>
            </Empty>
          ) : (
            list.map((job) => (
              <JobCard
                key={job.jobId}
                job={job}
                tables={tables}
                lags={lags.current.get(job.jobId) ?? []}
                onChanged={jobs.reload}
              />
            ))
          )
        }
      </Resolved>
    </Page>
  );
}
