import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { RestreamJob, Restreams } from '@quire/controller';
import { describe, expect, test } from 'vitest';
import { cannedEngine, cannedJob } from '../testkit/canned-tables.ts';
import { runAdminCommand, terminal } from './run-admin-command.ts';

describe('quire tables restream', () => {
  /** A job that advances by one step at each read. */
  function walking(steps: readonly Partial<RestreamJob>[]): Partial<Restreams> {
    let index = 0;
    const next = async (): Promise<RestreamJob> => {
      const job = { ...cannedJob, lastProblem: null, ...steps[Math.min(index, steps.length - 1)] };
      index += 1;
      return job;
    };
    return { start: next, read: next, readOfTable: next };
  }
  const init = { stage: 'INIT' as const, startedMs: 0, endedMs: 5, outcome: 'It is made.' };
  const stream = { stage: 'TABLE_STREAM' as const, startedMs: 5, endedMs: null, outcome: null };
  const lag = (messages: number) =>
    ({
      ...cannedJob.stream,
      lagMessages: messages,
      lagByPartition: { 0: messages },
    }) as RestreamJob['stream'];
  const ended = (stage: 'TABLE_STREAM' | 'FORCE_COMMIT' | 'REBALANCE') => ({
    stage,
    startedMs: 5,
    endedMs: 6,
    outcome: `${stage} is over.`,
  });
  const problem = {
    code: 'ENGINE_UNAVAILABLE' as const,
    message: 'The engine does not answer.',
    stage: 'TABLE_STREAM' as const,
    atMs: 7,
  };
  const steps: readonly Partial<RestreamJob>[] = [
    { status: 'TABLE_STREAM', stages: [init, stream], stream: lag(200) },
    { status: 'TABLE_STREAM', stages: [init, stream], stream: lag(50), lastProblem: problem },
    {
      status: 'FORCE_COMMIT',
      stages: [init, ended('TABLE_STREAM'), { ...stream, stage: 'FORCE_COMMIT' }],
    },
    {
      status: 'DONE',
      finishedMs: 9,
      stages: [init, ended('TABLE_STREAM'), ended('FORCE_COMMIT'), ended('REBALANCE')],
    },
  ];
  const start = ['tables', 'restream', 'orders', '--to', 'orders2'];

  test('quire tables restream starts a job with what was asked for', async () => {
    let asked: unknown;
    const restreams: Partial<Restreams> = {
      start: async (request: unknown) => {
        asked = request;
        return cannedJob;
      },
    };
    const { exitCode, stdout } = await runAdminCommand(
      [...start, '--max-lag', '7', '--server-tenant', 'fast', '--pause'],
      {
        restreams,
      },
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^orders_REALTIME to orders2_REALTIME: FORCE_COMMIT after .*\n$/);
    expect(asked).toMatchObject({
      tableNameWithType: 'orders_REALTIME',
      destTableNameWithType: 'orders2_REALTIME',
      destServerTenant: 'fast',
      maxTableStreamLag: 7,
      debugPause: true,
    });
  });

  test('--follow draws a bar for each stage on a terminal, in place', async () => {
    const { exitCode, stdout, stderr } = await runAdminCommand([...start, '--follow'], {
      restreams: walking(steps),
      environment: terminal,
    });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('orders_REALTIME to orders2_REALTIME: DONE'),
    ]);
    const frames = stderr.split('\u001b[4A\r\u001b[J').map((frame) => frame.trimEnd().split('\n'));
    const [full, none] = ['━'.repeat(20), '─'.repeat(20)];
    expect(frames[1]).toEqual([
      `✓ INIT          ${full} 100%  It is made.`,
      `▸ TABLE_STREAM  ${'━'.repeat(15)}${'─'.repeat(5)}  75%  lag 50; The engine does not answer.`,
      `· FORCE_COMMIT  ${none}`,
      `· REBALANCE     ${none}`,
    ]);
    expect(frames[2]?.[2]).toBe(
      `▸ FORCE_COMMIT  ${'━'.repeat(10)}${'─'.repeat(10)}  50%  1 of 2 segments`,
    );
    expect(frames[3]).toHaveLength(4);
    expect(frames[3]?.every((line) => line.startsWith('✓'))).toBe(true);
  });

  test('--follow writes a line for each new stage in a pipe, and fails with the job', async () => {
    const error = {
      code: 'CONFLICT' as const,
      message: 'It stands.',
      stage: 'TABLE_STREAM' as const,
    };
    const failing = [
      ...steps.slice(0, 2),
      { ...steps[1], status: 'FAILED' as const, finishedMs: 9, error },
    ];
    const { exitCode, stdout, stderr } = await runAdminCommand([...start, '--follow'], {
      restreams: walking(failing),
    });
    expect(exitCode).toBe(1);
    expect(stderr.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'TABLE_STREAM',
      'FAILED',
      expect.stringMatching(/^error CONFLICT: .* ended FAILED\.$/),
      '',
    ]);
    expect(stdout).toContain('FAILED after 0s. CONFLICT');
    expect(stdout).toContain('CONFLICT: It stands.');
  });

  test('list, show, resume and cancel', async () => {
    const lines = (await runAdminCommand(['tables', 'restream', 'list'])).stdout.split('\n');
    expect(lines.map((line) => line.split('\t')[3])).toEqual([
      'status',
      'FORCE_COMMIT',
      'FAILED',
      undefined,
    ]);
    const shown = (await runAdminCommand(['tables', 'restream', 'show', 'orders'])).stdout;
    expect(shown).toContain('status\tFORCE_COMMIT\n');
    expect(shown).toContain('INIT\tIt is made.\n');
    expect(
      (await runAdminCommand(['tables', 'restream', 'resume', 'orders', '--json'])).stdout,
    ).toContain('"status":"FORCE_COMMIT"');
    let dropDestination: unknown;
    const cancel = async (
      _jobId: string,
      options: { readonly dropDestination?: boolean },
    ): Promise<RestreamJob> => {
      ({ dropDestination } = options);
      return { ...cannedJob, status: 'CANCELLED' };
    };
    const { stdout } = await runAdminCommand(['tables', 'restream', 'cancel', 'orders', '--drop'], {
      restreams: { cancel },
    });
    expect([stdout, dropDestination]).toEqual([
      'The restream of orders_REALTIME is cancelled, and orders2_REALTIME dropped. Its progress: quire tables restream show orders_REALTIME\n',
      true,
    ]);
    expect((await runAdminCommand(['tables', 'restream', 'resume', 'orders'])).stdout).toBe(
      'The restream of orders_REALTIME resumes. Its progress: quire tables restream show orders_REALTIME\n',
    );
  });
});

describe('quire tasks', () => {
  const name = 'Task_MergeRollupTask_1';

  test('quire tasks list counts the subtasks of each task', async () => {
    expect((await runAdminCommand(['tasks', 'list'])).stdout).toBe(
      'task\tstate\tcompleted\tsubtasks\tfailed\ttriggered by\tcreated\tfinished\n' +
        `${name}\tIN_PROGRESS\t1\t8\t2\tCRON_TRIGGER\t2026-01-01 00:00:00 UTC\t\\N\n`,
    );
    const { stdout } = await runAdminCommand(
      ['tasks', 'list', '--type', 'MergeRollupTask', '--table', 'orders_OFFLINE'],
      {
        environment: terminal,
      },
    );
    expect(stdout).toContain(
      `${name}  IN_PROGRESS  1 of 8       2  CRON_TRIGGER  2026-01-01 00:00:00 UTC`,
    );
  });

  test('quire tasks show: the whole reason of a failure, and all subtasks when asked', async () => {
    const shown = (await runAdminCommand(['tasks', 'show', name])).stdout;
    expect(shown).toContain(
      'subtasks\t8 total, 1 completed, 1 running, 1 waiting, 1 error, 1 unknown, 1 dropped, 1 timedOut, 1 aborted\n',
    );
    expect(shown).toContain(`${name}_3\tTASK_ERROR on Minion_1: Row 3 has no time.\n`);
    expect(shown).not.toContain('WAITING');
    expect((await runAdminCommand(['tasks', 'show', name, '--all'])).stdout).toContain(
      `${name}_0\tWAITING\n`,
    );
    const record = JSON.parse(
      (await runAdminCommand(['tasks', 'show', name, '--json'])).stdout,
    ) as Record<string, unknown>;
    expect([record['taskName'], record['taskState']]).toEqual([name, 'IN_PROGRESS']);
  });

  test('quire tasks run: schedules what tables ask for, says why others get nothing, waits, and fails with the task', async () => {
    const { stdout, stderr, exitCode } = await runAdminCommand(['tasks', 'run', 'MergeRollupTask']);
    expect([exitCode, stderr]).toEqual([0, 'c_OFFLINE: Nothing is old enough.\n']);
    expect(stdout.match(/^state\t/gm)).toHaveLength(2);

    const task = await cannedEngine.readTask(name);
    let readCount = 0;
    const readTask: TableEngine['readTask'] = async () => {
      readCount += 1;
      return {
        ...task,
        state: readCount < 3 ? 'IN_PROGRESS' : readCount < 4 ? 'COMPLETED' : 'FAILED',
      };
    };
    const followed = await runAdminCommand(['tasks', 'run', 'MergeRollupTask', '--follow'], {
      engine: { readTask },
    });
    expect(followed.exitCode).toBe(1);
    expect(followed.stdout.match(/^state\t.*$/gm)).toEqual(['state\tCOMPLETED', 'state\tFAILED']);
    expect(followed.stderr).toContain(
      'error CONFLICT: The task Task_MergeRollupTask_2 ended FAILED.',
    );
  });

  test('quire tasks run --set: one task with a config of its own', async () => {
    let asked: unknown;
    const executeTask: TableEngine['executeTask'] = async (request) => {
      asked = request;
      return cannedEngine.executeTask(request);
    };
    const args = [
      'tasks',
      'run',
      'MergeRollupTask',
      '--table',
      'orders_OFFLINE',
      '--set',
      'mergeType=concat',
      '--name',
      'mine',
    ];
    expect((await runAdminCommand(args, { engine: { executeTask } })).exitCode).toBe(0);
    expect(asked).toEqual({
      taskType: 'MergeRollupTask',
      tableNameWithType: 'orders_OFFLINE',
      taskName: 'mine',
      configs: { mergeType: 'concat' },
    });
  });

  test('a task is shown and cancelled by the name that was chosen for it, unless several have it', async () => {
    const names = ['Task_MergeRollupTask_mine', 'Task_MergeRollupTask_both', 'Task_PurgeTask_both'];
    const task = await cannedEngine.readTask(name);
    const cancelled: string[] = [];
    const find = (taskName: string) => {
      if (names.includes(taskName)) return { ...task, taskName };
      throw new QuireError('TASK_NOT_FOUND', `There is no task '${taskName}'.`);
    };
    const engine: Partial<TableEngine> = {
      listTaskTypes: async () => ['MergeRollupTask', 'PurgeTask'],
      listTasks: async ({ taskType }) =>
        names.filter((each) => each.includes(taskType)).map((taskName) => ({ ...task, taskName })),
      readTask: async (taskName) => find(taskName),
      cancelTask: async (taskName) => void cancelled.push(find(taskName).taskName),
    };
    const run = (...args: readonly string[]) => runAdminCommand(['tasks', ...args], { engine });
    expect((await run('show', 'mine')).stdout).toContain('state\tIN_PROGRESS\n');
    expect((await run('cancel', 'mine')).stdout).toBe('Cancelled mine.\n');
    expect(cancelled).toEqual(['Task_MergeRollupTask_mine']);
    expect((await run('cancel', 'both')).stderr).toBe(
      "error CONFLICT: There are 2 tasks of the name 'both'; give one of Task_MergeRollupTask_both, Task_PurgeTask_both.\n",
    );
    expect((await run('show', 'other')).stderr).toBe(
      "error TASK_NOT_FOUND: There is no task 'other'.\n",
    );
  });

  test('quire tasks cancel cancels a task, and says why one is not', async () => {
    expect((await runAdminCommand(['tasks', 'cancel', name])).stdout).toBe(`Cancelled ${name}.\n`);
    const cancelTask = () => Promise.reject(new QuireError('CONFLICT', 'It has ended.'));
    expect(
      await runAdminCommand(['tasks', 'cancel', name], {
        engine: { cancelTask },
      }),
    ).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error CONFLICT: It has ended.\n',
    });
  });
});
