import type { RestreamResponse } from '@quire/client';
import { type ReactNode, useState } from 'react';
import { counted, formatCount, formatSpan, formatTime } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { StateBadge } from '../tasks/state-badge.tsx';
import { Confirm } from '../widgets/dialog.tsx';
import { Card } from '../widgets/page.tsx';
import { Sparkline } from '../widgets/sparkline.tsx';
import { useToasts } from '../widgets/toasts.tsx';

const stages = ['INIT', 'TABLE_STREAM', 'FORCE_COMMIT', 'REBALANCE', 'DONE'] as const;
const ended: readonly string[] = ['DONE', 'FAILED', 'CANCELLED'];

/** A question that confirms a step before it is taken. */
interface Question {
  readonly title: string;
  readonly action: string;
  readonly text: string;
  readonly act: () => Promise<string>;
}

/** One job: its progress, and a button for each next step. */
export function JobCard({
  job,
  tables,
  lags,
  onChanged,
}: {
  readonly job: RestreamResponse;
  /** The existing real-time tables. */
  readonly tables: readonly string[];
  /** The lags that were observed while the page was open. */
  readonly lags: readonly number[];
  readonly onChanged: () => void;
}): ReactNode {
  const { admin } = useSession();
  const { attempt } = useToasts();
  const [question, setQuestion] = useState<Question>();
  const { restreamConfig, status, next } = job;
  const source = restreamConfig.tableNameWithType;
  const destination = restreamConfig.destTableNameWithType;
  const act = (task: () => Promise<string>): void =>
    attempt(async () => {
      const then = await task();
      onChanged();
      return then;
    });
  const hasStopped = status === 'FAILED' || status === 'CANCELLED';
  return (
    <Card
      title={
        <>
          {source} → {destination} <StateBadge state={status} />
        </>
      }
      actions={
        <>
          {!ended.includes(status) && restreamConfig.debugPause && (
            <button
              type="button"
              className="button small"
              onClick={() => act(async () => (await admin.resumeRestream(source)).next)}
            >
              Resume
            </button>
          )}
          {!ended.includes(status) && (
            <Ask
              label="Cancel"
              onAsk={setQuestion}
              question={{
                title: 'Cancel this job?',
                action: 'Cancel the job',
                text: 'The old table is unchanged. The new one is kept and paused.',
                act: async () => (await admin.cancelRestream(source)).next,
              }}
            />
          )}
          {hasStopped && tables.includes(destination) && (
            <>
              <button
                type="button"
                className="button small"
                onClick={() =>
                  act(async () => {
                    await admin.resumeConsumption(destination);
                    return `${destination} is kept, and consumes its stream.`;
                  })
                }
              >
                Keep the new table
              </button>
              <Ask
                label="Drop the new table"
                onAsk={setQuestion}
                question={{
                  title: `Drop ${destination}?`,
                  action: 'Drop it',
                  text: 'Its rows are deleted. The old table is unchanged.',
                  act: async () =>
                    (await admin.cancelRestream(source, { dropDestination: true })).next,
                }}
              />
            </>
          )}
          {status === 'DONE' && (
            <a
              className="button small"
              href={placeOf(['tables', destination.replace(/_REALTIME$/, '')])}
            >
              Open the new table
            </a>
          )}
          {status === 'DONE' && tables.includes(source) && tables.includes(destination) && (
            <Ask
              label="Delete the old table"
              onAsk={setQuestion}
              question={{
                title: `Delete ${source}?`,
                action: 'Delete it',
                text: `Its rows are deleted. Queries of ${source.replace(/_REALTIME$/, '')} fail from then on; ${destination} serves.`,
                act: () => admin.deleteTable(source),
              }}
            />
          )}
        </>
      }
    >
      <ol className="stages">
        {stages.map((stage) => (
          <Stage key={stage} stage={stage} job={job} />
        ))}
      </ol>
      <JobNotes job={job} />
      <p className="quiet">
        {next} · {formatSpan(job.timeElapsedSinceStartInSeconds * 1000)}
      </p>
      {status === 'TABLE_STREAM' && lags.length > 1 && (
        <p className="quiet">
          Lag while this page was open <Sparkline values={lags} />
          {lags.at(-1) === 0 &&
            ' A lag of 0 means that the new table had all messages of its stream when it was read; while the stream grows it is behind again a moment later.'}
        </p>
      )}
      {question !== undefined && (
        <Confirm
          title={question.title}
          action={question.action}
          onConfirm={() => act(question.act)}
          onClose={() => setQuestion(undefined)}
        >
          <p>{question.text}</p>
        </Confirm>
      )}
    </Card>
  );
}

/** Why the job failed, or was retried last, and what its tables have in the end. */
function JobNotes({
  job: { error, lastProblem, comparison },
}: {
  readonly job: RestreamResponse;
}): ReactNode {
  return (
    <>
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
    </>
  );
}

function Ask({
  label,
  question,
  onAsk,
}: {
  readonly label: string;
  readonly question: Question;
  readonly onAsk: (question: Question) => void;
}): ReactNode {
  return (
    <button type="button" className="button small danger" onClick={() => onAsk(question)}>
      {label}
    </button>
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
