import type { Command } from '@commander-js/extra-typings';
import type { Cell, SubtaskInfo, TaskDebug } from '@quire/client';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { cellContent } from '../table/cell-text.ts';
import { writeMembers } from '../write-records.ts';

/** Adds `quire tasks show`. */
export function addTasksShowCommand(tasks: Command, environment: Environment): void {
  withControllerOptions(tasks.command('show'))
    .summary('show the subtasks of a task, and why it failed')
    .description('Show the debug record of a task, with its running and failed subtasks.')
    .argument('<task>', 'name of the task, or the one that --name gave it')
    .option('--all', 'all subtasks, including waiting and finished ones')
    .option('--json', 'the whole record as one line of JSON')
    .action(async (taskName, options) => {
      using interrupt = abortOnInterrupt(environment);
      const call = { signal: interrupt.signal, verbosity: options.all === true ? 1 : 0 };
      const record = await createAdminClient(options, environment).readTask(taskName, call);
      await writeTask(taskName, record, options.json, environment);
    });
}

export async function writeTask(
  taskName: string,
  record: TaskDebug,
  isJson: true | undefined,
  environment: Environment,
): Promise<void> {
  if (isJson === true) {
    return environment.stdout.write(`${cellContent({ taskName, ...record } as unknown as Cell)}\n`);
  }
  const { taskState, triggeredBy, startTime, executionStartTime, finishTime, subtaskCount } =
    record;
  const times = {
    created: startTime,
    started: executionStartTime,
    finished: finishTime,
    'triggered by': triggeredBy,
  };
  const counts = Object.entries(subtaskCount).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name}`],
  );
  await writeMembers(
    [
      ['task', taskName],
      ['state', taskState],
      ...Object.entries(times).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      ),
      ['subtasks', counts.join(', ') || '0'],
      ...(record.subtaskInfos ?? []).map(
        (subtask) => [subtask.taskId, describeSubtask(subtask)] as const,
      ),
    ],
    environment,
  );
}

function describeSubtask({ state, participant, info }: SubtaskInfo): string {
  return [
    state,
    participant === undefined ? '' : ` on ${participant}`,
    info === undefined ? '' : `: ${info}`,
  ].join('');
}
