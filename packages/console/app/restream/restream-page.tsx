import type { RestreamResponse } from '@quire/client';
import { type ReactNode, useState } from 'react';
import { counted, formatCount, formatSpan, formatTime } from '../format.ts';
import { useSession } from '../session.ts';
import { StateBadge } from '../tasks/state-badge.tsx';
import { useResource } from '../use-resource.ts';
import { Confirm } from '../widgets/dialog.tsx';
import { Card, Page } from '../widgets/page.tsx';
import { Empty, messageOf, Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';

const stages = ['INIT', 'TABLE_STREAM', 'FORCE_COMMIT', 'REBALANCE', 'DONE'] as const;
const ended: readonly string[] = ['DONE', 'FAILED', 'CANCELLED'];

/**
 * Rebuilds a real-time table from its stream into a new one, and follows each job stage by stage.
 */
export function RestreamPage({ table }: { readonly table: string | undefined }): ReactNode {
  const { call } = useSession();
  const jobs = useResource(
    'restreams',
    async (signal) =>
      (
        (await call('/restreams', { signal })) as unknown as {
          readonly restreams: readonly RestreamResponse[];
        }
      ).restreams,
    { everyMs: 1000 },
  );
  return (
    <Page
      title="Restream"
      about="Rebuilds a real-time table from its stream into a new one, while the old one serves."
    >
      <StartForm table={table} onStarted={jobs.reload} />
      <Resolved of={jobs} what="the jobs">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No table has been rebuilt yet">
              <p>
                Start a job above; it goes on when this page is closed, and through restarts of the
                server.
              </p>
            </Empty>
          ) : (
            list.map((job) => <JobCard key={job.jobId} job={job} onChanged={jobs.reload} />)
          )
        }
      </Resolved>
    </Page>
  );
}

function StartForm({
  table,
  onStarted,
}: {
  readonly table: string | undefined;
  readonly onStarted: () => void;
}): ReactNode {
  const { admin } = useSession();
  const { say } = useToasts();
  const [source, setSource] = useState(table ?? '');
  const [destination, setDestination] = useState(
    table === undefined ? '' : table.replace(/_REALTIME$/, '_rebuilt_REALTIME'),
  );
  const [lag, setLag] = useState('5000');
  const [pauses, setPauses] = useState(false);
  const [problem, setProblem] = useState<string>();
  const start = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const { next } = await admin.startRestream(source, {
        destTableNameWithType: destination,
        maxTableStreamLag: Number(lag),
        debugPause: pauses,
      });
      say(next);
      onStarted();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Card title="Start a job">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <label className="field">
          <span>Table to rebuild</span>
          <input
            required
            placeholder="events_REALTIME"
            value={source}
            onChange={(event) => setSource(event.target.value)}
          />
        </label>
        <label className="field">
          <span>New table</span>
          <input
            required
            placeholder="events_rebuilt_REALTIME"
            value={destination}
            onChange={(event) => setDestination(event.target.value)}
          />
        </label>
        <label className="field">
          <span>Greatest lag</span>
          <input
            required
            type="number"
            min="0"
            value={lag}
            onChange={(event) => setLag(event.target.value)}
          />
          <small>Messages a partition may be behind when the new table takes over.</small>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={pauses}
            onChange={(event) => setPauses(event.target.checked)}
          />
          Wait before consuming, until resumed
        </label>
        <div className="toolbar">
          <button type="submit" className="button main">
            Start
          </button>
        </div>
        {problem !== undefined && (
          <div className="notice bad" role="alert">
            <strong>It was not started</strong>
            <p>{problem}</p>
          </div>
        )}
      </form>
    </Card>
  );
}

function JobCard({
  job,
  onChanged,
}: {
  readonly job: RestreamResponse;
  readonly onChanged: () => void;
}): ReactNode {
  const { admin } = useSession();
  const { attempt } = useToasts();
  const [isDoomed, setIsDoomed] = useState(false);
  const { restreamConfig, status, next, error, lastProblem, comparison } = job;
  const source = restreamConfig.tableNameWithType;
  const act = (task: () => Promise<RestreamResponse>): void =>
    attempt(async () => {
      const { next: then } = await task();
      onChanged();
      return then;
    });
  return (
    <Card
      title={
        <>
          {source} → {restreamConfig.destTableNameWithType} <StateBadge state={status} />
        </>
      }
      actions={
        !ended.includes(status) && (
          <>
            {restreamConfig.debugPause && (
              <button
                type="button"
                className="button small"
                onClick={() => act(() => admin.resumeRestream(source))}
              >
                Resume
              </button>
            )}
            <button type="button" className="button small danger" onClick={() => setIsDoomed(true)}>
              Cancel
            </button>
          </>
        )
      }
    >
      <ol className="stages">
        {stages.map((stage) => (
          <Stage key={stage} stage={stage} job={job} />
        ))}
      </ol>
      {error !== null && (
        <div className="notice bad">
          <strong>Failed in {error.stage}</strong>
          <p>{error.message}</p>
        </div>
      )}
      {lastProblem !== null && (
        <div className="notice warn" role="status">
          <strong>
            Last problem in {lastProblem.stage}, at {formatTime(lastProblem.timeMs)}
          </strong>
          <p>{lastProblem.message}</p>
        </div>
      )}
      {comparison !== null && (
        <p>
          {counted(comparison.sourceRows, 'row')} in the old table,{' '}
          {formatCount(comparison.destinationRows)} in the new one.
        </p>
      )}
      <p className="quiet">
        {next} · {formatSpan(job.timeElapsedSinceStartInSeconds * 1000)}
      </p>
      {isDoomed && (
        <Confirm
          title="Cancel this job?"
          action="Cancel the job"
          onConfirm={() => act(() => admin.cancelRestream(source))}
          onClose={() => setIsDoomed(false)}
        >
          <p>The old table is not touched. The new one stays, paused.</p>
        </Confirm>
      )}
    </Card>
  );
}

function isShown({ stage }: { readonly stage: string }): boolean {
  return (stages as readonly string[]).includes(stage);
}

function Stage({
  stage,
  job,
}: {
  readonly stage: (typeof stages)[number];
  readonly job: RestreamResponse;
}): ReactNode {
  const record = job.stages.findLast((each) => each.stage === stage);
  const isCurrent = job.status === stage && stage !== 'DONE';
  const hasEnded = ended.includes(job.status);
  const state =
    record === undefined
      ? hasEnded
        ? 'not reached'
        : 'to come'
      : isCurrent || (record.endTimeMs === null && stage !== 'DONE')
        ? hasEnded
          ? 'ended'
          : 'now'
        : hasEnded && job.status !== 'DONE' && record === job.stages.findLast(isShown)
          ? 'ended'
          : 'done';
  return (
    <li
      className={`stage ${state.replace(' ', '-')}`}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <strong>{stage.toLowerCase().replace('_', ' ')}</strong>
      <span
        className="quiet"
        title={record === undefined ? undefined : formatTime(record.startTimeMs)}
      >
        {isCurrent ? progressOf(stage, job) : (record?.outcome ?? state)}
      </span>
    </li>
  );
}

function progressOf(stage: string, job: RestreamResponse): string {
  if (stage === 'TABLE_STREAM') {
    const { lastProbedLag } = job.tableStreamProgress;
    return lastProbedLag < 0 ? 'lag not known yet' : `${formatCount(lastProbedLag)} behind`;
  }
  if (stage === 'FORCE_COMMIT') {
    const { consumingSegmentsCommitted, totalConsumingSegments } = job.forceCommitProgress;
    return `${consumingSegmentsCommitted} of ${totalConsumingSegments} committed`;
  }
  return 'now';
}
