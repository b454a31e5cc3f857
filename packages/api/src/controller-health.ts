import { type Static, Type } from 'typebox';
import { EngineHealth } from './engine-health.ts';

/** The most problems of tables that the health of a controller lists. */
export const tableProblemsMax = 20;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What a controller says of itself to any caller; it holds no secrets and names no broker. */
export const ControllerHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string',
      enum: ['ok', 'degraded'],
      description:
        'ok: the controller accepts calls. degraded: it does, and `problems` or `engine` says what an operator must look at.',
    }),
    version: Type.String({ description: 'Version of the server.' }),
    uptimeMs: Type.Integer({
      minimum: 0,
      description: 'For how long it has been up, in milliseconds.',
    }),
    previewsRunning: count('Previews that run now.'),
    previewsQueued: count('Previews that wait to start.'),
    engine: Type.Optional(EngineHealth),
    workers: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 0,
            description: 'Processes that there are, with or without a preview.',
          }),
          busyCount: Type.Integer({
            minimum: 0,
            description: 'Processes that run a preview, or are about to end with one.',
          }),
          killedCount: Type.Integer({
            minimum: 0,
            description:
              'Processes that ended with their preview since the start: over their time or memory, or by a crash.',
          }),
        },
        { description: 'The processes that previews run in.' },
      ),
    ),
    tables: Type.Optional(
      Type.Object(
        {
          tableCount: count('Tables that there are, each half by itself.'),
          partitions: Type.Object(
            {
              starting: count('Nothing is known yet of where they stand.'),
              consuming: count('They consume, or commit what they have consumed.'),
              paused: count('Somebody has paused their table.'),
              retrying: count('Their stream cannot be reached; it is tried again.'),
              stopped: count('A message could not be taken, or is not in the stream any more.'),
            },
            { description: 'Partitions of the streams of all tables, by what they do.' },
          ),
          lagMessages: count(
            'Messages that are in streams and not in tables yet, as far as it is known.',
          ),
          lagMsMax: count('How long the one of them has waited that waits longest.'),
          tasks: Type.Object(
            {
              running: count('They run, or wait for their turn.'),
              stopped: count('They go on once their type is resumed.'),
              failed: count('They failed, took too long, or were cancelled.'),
              completed: count('They did what they were to do.'),
            },
            { description: 'Tasks that are still known, by outcome.' },
          ),
        },
        {
          description:
            'What tables do; absent where there are none to look after, or nothing is known of them.',
        },
      ),
    ),
    problemCount: Type.Optional(
      count(
        'What is damaged and set aside, or kept because nothing explains it: of tables, tasks and restream jobs.',
      ),
    ),
    problems: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Type.Unsafe<'table' | 'segment' | 'task' | 'job' | 'record' | 'file' | 'disk'>({
            type: 'string',
            enum: ['table', 'segment', 'task', 'job', 'record', 'file', 'disk'],
            description: 'What is set aside; for a file, kept; for a disk, full.',
          }),
          subject: Type.String({
            description:
              'The name of the table or task, of the segment behind its table and a slash, the id of the job, or the path of the file.',
          }),
          problem: Type.String({
            description: 'Which file is damaged, what is wrong with it, and what to do.',
          }),
        }),
        { description: `The first ${tableProblemsMax} of these.` },
      ),
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'What is wrong with the settings file as it is now; the last valid settings stay in force.',
      }),
    ),
  },
  { $id: 'ControllerHealthResponse', description: 'The controller is alive.' },
);

export type ControllerHealthResponse = Static<typeof ControllerHealthResponse>;
