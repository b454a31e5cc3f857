import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { EngineHealth } from './engine-health.ts';

/** The maximum number of table problems in the health of a controller. */
export const tableProblemsMax = 20;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The health of a controller for any caller; it contains no secrets and names no broker. */
export const ControllerHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string',
      enum: ['ok', 'degraded'],
      description:
        'ok: the controller accepts calls. degraded: it does, and `problems` or `engine` says what an operator must investigate.',
    }),
    version: Type.String({ description: 'Version of the server.' }),
    uptimeMs: Type.Integer({
      minimum: 0,
      description: 'Uptime, in milliseconds.',
    }),
    previewsRunning: count('Running previews.'),
    previewsQueued: count('Waiting previews.'),
    engine: Type.Optional(EngineHealth),
    workers: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 0,
            description: 'Number of processes, busy or idle.',
          }),
          busyCount: Type.Integer({
            minimum: 0,
            description: 'Processes that are running a preview or being terminated with it.',
          }),
          killedCount: Type.Integer({
            minimum: 0,
            description:
              'Processes that were terminated with their preview since the start, because it exceeded its timeout or memory limit or crashed.',
          }),
        },
        { description: 'The processes that run previews.' },
      ),
    ),
    tables: Type.Optional(
      Type.Object(
        {
          tableCount: count('Number of tables, each half counted separately.'),
          partitions: Type.Object(
            {
              starting: count('Partitions whose progress is not known yet.'),
              consuming: count('Partitions that are being consumed or committed.'),
              paused: count('Partitions of paused tables.'),
              retrying: count('Partitions whose stream cannot be reached; it is retried.'),
              stopped: count(
                'Partitions with a message that could not be consumed, or that the stream no longer has.',
              ),
            },
            { description: 'Partitions of the streams of all tables, by state.' },
          ),
          lagMessages: count(
            'Messages in streams that are not in tables yet, as far as it is known.',
          ),
          lagMsMax: count('Longest time that such a message has been waiting.'),
          tasks: Type.Object(
            {
              running: count('Tasks that run, or wait for their turn.'),
              stopped: count('Tasks that continue once their type is resumed.'),
              failed: count('Tasks that failed, timed out, or were cancelled.'),
              completed: count('Tasks that succeeded.'),
            },
            { description: 'Known tasks, by outcome.' },
          ),
        },
        {
          description:
            'The activity of tables; absent if there are no tables, or their activity is unknown.',
        },
      ),
    ),
    problemCount: Type.Optional(
      count('Kinds of damaged or unexplained files of tables, tasks and restream jobs.'),
    ),
    problems: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Type.Unsafe<'table' | 'segment' | 'task' | 'job' | 'record' | 'file' | 'disk'>({
            type: 'string',
            enum: ['table', 'segment', 'task', 'job', 'record', 'file', 'disk'],
            description:
              'Damaged records that were set aside, files that were kept, and disks that are full.',
          }),
          subject: Type.String({
            description:
              'The name of the table or task, the segment as table and segment name separated by a slash, the job id, or the path of the file.',
          }),
          problem: Type.String({
            description: 'The affected file, its problem and the remedy.',
          }),
        }),
        { description: `The first ${tableProblemsMax} problems.` },
      ),
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Problems of the current settings file; the last valid settings stay in force.',
      }),
    ),
  },
  { $id: 'ControllerHealthResponse', description: 'The controller is alive.' },
);

export type ControllerHealthResponse = Static<typeof ControllerHealthResponse>;
