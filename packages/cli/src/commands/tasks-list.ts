import type { Command } from '@commander-js/extra-typings';
import type { TaskDebug } from '@quire/client';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { withListOptions, writeRecords } from '../write-records.ts';

const columns = [
  { name: 'task', dataType: 'STRING', isWhole: true },
  { name: 'state', dataType: 'STRING', isWhole: true },
  { name: 'done', dataType: 'STRING' },
  { name: 'failed', dataType: 'LONG' },
  { name: 'triggered by', dataType: 'STRING' },
  { name: 'created', dataType: 'STRING' },
  { name: 'finished', dataType: 'STRING' },
];

/** Adds `quire tasks list`. */
export function addTasksListCommand(tasks: Command, environment: Environment): void {
  withListOptions(withControllerOptions(tasks.command('list')))
    .summary('list tasks, newest first')
    .description(
      'List tasks by type, the newest of each first. In a pipe: lines of task, state, subtasks done, all and failed, trigger, and the times of ' +
        'creation and end, with tabs between.',
    )
    .option('--type <type>', 'only tasks of this type, such as MergeRollupTask')
    .option('--table <table>', 'only tasks for this table, with its type: orders_OFFLINE')
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const { signal } = interrupt;
      const client = createAdminClient(options, environment);
      const types =
        options.type === undefined ? await client.listTaskTypes({ signal }) : [options.type];
      const items: (TaskDebug & { readonly taskName: string })[] = [];
      for (const type of types) {
        const records = await client.listTasks(type, { signal, tableNameWithType: options.table });
        items.push(...[...records].map(([taskName, record]) => ({ taskName, ...record })));
      }
      await writeRecords(
        {
          columns,
          plainNames: [
            'task',
            'state',
            'completed',
            'subtasks',
            'failed',
            'triggered by',
            'created',
            'finished',
          ],
          items,
          shown: ({
            taskName,
            taskState,
            subtaskCount: count,
            triggeredBy,
            startTime,
            finishTime,
          }) => [
            taskName,
            taskState,
            `${count.completed} of ${count.total}`,
            count.error + count.timedOut,
            triggeredBy ?? '',
            startTime ?? '',
            finishTime ?? '',
          ],
          plain: ({
            taskName,
            taskState,
            subtaskCount: count,
            triggeredBy,
            startTime,
            finishTime,
          }) => [
            taskName,
            taskState,
            count.completed,
            count.total,
            count.error + count.timedOut,
            triggeredBy ?? null,
            startTime ?? null,
            finishTime ?? null,
          ],
          emptyText: 'no tasks',
        },
        options,
        environment,
      );
    });
}
