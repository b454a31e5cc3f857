import type { Command } from '@commander-js/extra-typings';
import type { QuireAdminClient, TaskDebug } from '@quire/client';
import { QuireError } from '@quire/core';
import { visibleText } from '@quire/core/portable';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { collectPair } from '../pair-option.ts';
import { showProgress } from '../progress.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { writeTask } from './tasks-show.ts';

const pollEveryMs = 500;
const endStates: ReadonlySet<TaskDebug['taskState']> = new Set([
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'ABORTED',
]);

const examples = `
Without --set the task uses the config of its table, as its schedule would. With --set it uses the given config, once.

Examples:
  $ quire tasks run MergeRollupTask --table orders_OFFLINE --follow
  $ quire tasks run SegmentGenerationAndPushTask --table orders_OFFLINE --set inputDirURI=file:///in --set inputFormat=csv`;

/** Adds `quire tasks run`. */
export function addTasksRunCommand(tasks: Command, environment: Environment): void {
  withControllerOptions(tasks.command('run'))
    .summary('run tasks of a type now')
    .description(
      'Create and run the tasks of a type that tables configure, or one with a config of its own.',
    )
    .argument('<type>', 'type of the tasks')
    .option('--table <table>', 'only for this table, with its type: orders_OFFLINE')
    .option(
      '--set <key=value>',
      'a member of a config of its own; may be given several times',
      collectPair,
    )
    .option('--name <name>', 'with --set: the name of the task')
    .option('--follow', 'wait until the tasks have ended; Ctrl-C ends the wait, not the tasks')
    .option('--json', 'one JSON object per task: its debug record, with taskName')
    .addHelpText('after', examples)
    .action(async (taskType, options, command) => {
      const { set, table, name } = options;
      if (set !== undefined && table === undefined) command.error('error: --set needs --table');
      if (set === undefined && name !== undefined) command.error('error: --name is for --set');
      using interrupt = abortOnInterrupt(environment);
      const { signal } = interrupt;
      const client = createAdminClient(options, environment);
      const taskNames =
        set !== undefined
          ? [
              await client.executeTask(
                {
                  taskType,
                  tableNameWithType: table ?? '',
                  taskName: name,
                  configs: set,
                },
                { signal },
              ),
            ]
          : await schedule(client, taskType, table, environment, signal);
      const failed: string[] = [];
      for (const taskName of taskNames) {
        const record =
          options.follow === true
            ? await followTask(client, taskName, environment, signal)
            : await client.readTask(taskName, { signal });
        await writeTask(taskName, record, options.json, environment);
        if (options.follow === true && record.taskState !== 'COMPLETED') {
          failed.push(`The task ${visibleText(taskName)} ended ${record.taskState}.`);
        }
      }
      if (failed.length > 0) throw new QuireError('CONFLICT', failed.join('\n'));
    });
}

/**
 * Schedules tasks, and reports on standard error why a table received no task. @throws CONFLICT
 * when a task could not be created
 */
async function schedule(
  client: QuireAdminClient,
  taskType: string,
  tableNameWithType: string | undefined,
  { stderr }: Environment,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { taskNames, skipped, errors } = await client.scheduleTasks(taskType, {
    signal,
    tableNameWithType,
  });
  for (const reason of skipped) await stderr.write(`${visibleText(reason)}\n`);
  if (errors.length > 0) throw new QuireError('CONFLICT', errors.join('\n'));
  if (taskNames.length === 0 && skipped.length === 0) {
    await stderr.write(`No table has a config for ${visibleText(taskType)}.\n`);
  }
  return taskNames;
}

async function followTask(
  client: QuireAdminClient,
  taskName: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<TaskDebug> {
  await using progress = showProgress(environment, taskName);
  for (;;) {
    const record = await client.readTask(taskName, { signal });
    if (endStates.has(record.taskState)) return record;
    const { completed, total } = record.subtaskCount;
    progress.say(`${record.taskState}, ${completed} of ${total} subtasks done`);
    await environment.clock.sleep(pollEveryMs, signal);
  }
}
