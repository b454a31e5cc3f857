import { visibleText } from '@quire/core/portable';
import { type ReactNode, useRef } from 'react';
import { formatCount } from '../format.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { ListTable } from '../widgets/list-table.tsx';
import { Badge, Card } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { pointsMax, Sparkline } from '../widgets/sparkline.tsx';
import { parsePartitions } from './partition-lag.ts';

/** The consumption and the lag of each partition, and the buttons to pause, resume and commit. */
export function ConsumptionCard({ table }: { readonly table: string }): ReactNode {
  const { admin, role } = useSession();
  const { attempt } = useToasts();
  const past = useRef(new Map<string, number[]>());
  const consumption = useResource(
    `consumption ${table}`,
    async (signal) => {
      const [segments, status] = await Promise.all([
        admin.readConsumingSegments(table, { signal }),
        admin.readPauseStatus(table, { signal }),
      ]);
      const partitions = parsePartitions(segments);
      for (const { partition, lag = 0 } of partitions) {
        past.current.set(
          partition,
          [...(past.current.get(partition) ?? []), lag].slice(-pointsMax),
        );
      }
      return { partitions, isPaused: status['pauseFlag'] === true };
    },
    { everyMs: 2000 },
  );
  const change = (act: () => Promise<string>): void =>
    attempt(async () => {
      const sentence = await act();
      consumption.reload();
      return sentence;
    });
  const isPaused = consumption.value?.isPaused === true;
  const hasProblem = consumption.value?.partitions.some(({ problem }) => problem !== undefined);
  return (
    <Card
      title={
        <>
          Consumption{' '}
          {consumption.value !== undefined && (
            <Badge tone={isPaused || hasProblem === true ? 'warn' : 'good'}>
              {isPaused ? 'paused' : hasProblem === true ? 'not consuming everywhere' : 'consuming'}
            </Badge>
          )}
        </>
      }
      flush
      actions={
        role === 'admin' && (
          <>
            <button
              type="button"
              className="button small"
              onClick={() =>
                change(async () => {
                  await (isPaused ? admin.resumeConsumption(table) : admin.pauseConsumption(table));
                  return isPaused
                    ? 'The table consumes its stream again.'
                    : 'The table is paused; the consumed rows are committed.';
                })
              }
            >
              {isPaused ? 'Resume' : 'Pause'}
            </button>
            <button
              type="button"
              className="button small"
              disabled={isPaused}
              onClick={() =>
                change(async () => `The commit has started: job ${await admin.forceCommit(table)}.`)
              }
            >
              Commit now
            </button>
          </>
        )
      }
    >
      <Resolved of={consumption} what="the partitions">
        {({ partitions }) => (
          <ListTable
            items={partitions}
            columns={[
              { name: 'Partition', cell: ({ partition }) => partition },
              {
                name: 'State',
                cell: ({ state, problem }) => (
                  <>
                    <Badge tone={state === 'CONSUMING' && problem === undefined ? 'good' : 'warn'}>
                      {state.toLowerCase().replace('_', ' ')}
                    </Badge>
                    {problem !== undefined && <p className="quiet">{visibleText(problem)}</p>}
                  </>
                ),
              },
              { name: 'Offset', isNumber: true, cell: ({ offset }) => offset },
              { name: 'End of the stream', isNumber: true, cell: ({ latest }) => latest },
              {
                name: 'Lag',
                isNumber: true,
                cell: ({ lag }) => (lag === undefined ? 'not known' : formatCount(lag)),
              },
              {
                name: 'Last two minutes',
                cell: ({ partition }) => <Sparkline values={past.current.get(partition) ?? []} />,
              },
            ]}
            keyOf={({ partition }) => partition}
            empty={
              <p className="quiet card-note">
                {isPaused
                  ? 'No partition is consumed while the table is paused.'
                  : 'The next segment is being created.'}
              </p>
            }
          />
        )}
      </Resolved>
    </Card>
  );
}
