import type { RestreamResponse } from '@quire/client';
import { formatDurationMs } from '@quire/core';
import { visibleText } from '@quire/core/portable';
import { grouped } from '../phrases.ts';
import type { Styles } from '../styles.ts';
import { cutText } from '../table/text-width.ts';
import { nextByCommands } from './next-commands.ts';

const restreamStages = ['INIT', 'TABLE_STREAM', 'FORCE_COMMIT', 'REBALANCE'] as const;
type Stage = (typeof restreamStages)[number];
type StageState = 'ahead' | 'running' | 'done' | 'failed';

/** The progress of one stage. */
export interface StageProgress {
  readonly stage: Stage;
  readonly state: StageState;
  /** 0 to 1; undefined if the amount of work is unknown. */
  readonly share: number | undefined;
  readonly detail: string;
}

const barWidth = 20;
const nameWidth = Math.max(...restreamStages.map((stage) => stage.length));

/** Reports whether a job has ended. */
export function hasEnded({ status }: RestreamResponse): boolean {
  return status === 'DONE' || status === 'FAILED' || status === 'CANCELLED';
}

/** Returns the messages by which the destination lags; undefined until they are known. */
export function destinationLag(job: RestreamResponse): number | undefined {
  const partitions = Object.values(
    job.verboseTableStreamLag[job.restreamConfig.destTableNameWithType] ?? {},
  );
  return partitions.length === 0
    ? undefined
    : partitions.reduce((sum, lag) => sum + Math.max(0, lag), 0);
}

/**
 * Returns the progress of each stage of a job. @param lagAtStart the largest lag observed: the
 * initial lag of the stream stage
 */
export function stagesOf(job: RestreamResponse, lagAtStart: number): readonly StageProgress[] {
  return restreamStages.map((stage) => {
    const record = job.stages.findLast((each) => each.stage === stage);
    const isFailed =
      job.error?.stage === stage ||
      (job.status === 'CANCELLED' &&
        record !== undefined &&
        record === job.stages.findLast((each) => isStage(each.stage)));
    const state =
      record === undefined
        ? 'ahead'
        : isFailed
          ? 'failed'
          : record.endTimeMs === null
            ? 'running'
            : 'done';
    const outcome = record?.outcome ?? '';
    if (state === 'running') {
      const { share, detail } = runningStage(job, stage, lagAtStart);
      return {
        stage,
        state,
        share,
        detail: job.lastProblem === null ? detail : `${detail}; ${job.lastProblem.message}`,
      };
    }
    return { stage, state, share: state === 'done' ? 1 : undefined, detail: outcome };
  });
}

function runningStage(
  job: RestreamResponse,
  stage: Stage,
  lagAtStart: number,
): Pick<StageProgress, 'share' | 'detail'> {
  if (stage === 'TABLE_STREAM') {
    const lag = destinationLag(job);
    if (lag === undefined) return { share: undefined, detail: 'the lag is not known yet' };
    return {
      share: lagAtStart === 0 ? 1 : 1 - Math.min(lag, lagAtStart) / lagAtStart,
      detail: `lag ${grouped(lag)}`,
    };
  }
  if (stage === 'FORCE_COMMIT') {
    const { totalConsumingSegments: total, consumingSegmentsCommitted: committed } =
      job.forceCommitProgress;
    return {
      share: total === 0 ? undefined : committed / total,
      detail: `${grouped(committed)} of ${grouped(total)} segments`,
    };
  }
  return { share: undefined, detail: nextByCommands(job.next) };
}

function isStage(status: string): boolean {
  return (restreamStages as readonly string[]).includes(status);
}

/** Renders a line for each stage, with a bar for its progress. */
export function renderStages(
  stages: readonly StageProgress[],
  { styles, widthMax }: { readonly styles: Styles; readonly widthMax: number },
): readonly string[] {
  const marks = {
    ahead: styles.faint('·'),
    running: styles.strong('▸'),
    done: styles.good('✓'),
    failed: styles.bad('✗'),
  };
  return stages.map(({ stage, state, share, detail }) => {
    const width = Math.max(10, widthMax - nameWidth - barWidth - 13);
    const text = cutText(visibleText(detail), width).text;
    const percent = share === undefined ? '' : `${Math.floor(share * 100)}%`;
    return `${marks[state]} ${stage.padEnd(nameWidth)}  ${bar(share, styles)} ${percent.padStart(4)}  ${state === 'failed' ? styles.bad(text) : styles.faint(text)}`.trimEnd();
  });
}

function bar(share: number | undefined, { good, faint }: Styles): string {
  const filled = Math.round((share ?? 0) * barWidth);
  return good('━'.repeat(filled)) + faint('─'.repeat(barWidth - filled));
}

/** Returns the time that a job has taken, to the second, as the server reports it. */
export function elapsedOf({ timeElapsedSinceStartInSeconds: seconds }: RestreamResponse): string {
  return formatDurationMs(seconds * 1000);
}

/** Describes the state of a job in one line. */
export function describeRestream(job: RestreamResponse): string {
  const { tableNameWithType, destTableNameWithType } = job.restreamConfig;
  const error = job.error === null ? '' : ` ${job.error.code}: ${job.error.message}`;
  const problem = job.lastProblem === null ? '' : ` Last problem: ${job.lastProblem.message}`;
  return visibleText(
    `${tableNameWithType} to ${destTableNameWithType}: ${job.status} after ${elapsedOf(job)}.${error}${problem} ${nextByCommands(job.next)}`,
  );
}
