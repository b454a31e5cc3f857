import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { addTasksListCommand } from './tasks-list.ts';
import { addTasksRunCommand } from './tasks-run.ts';
import { addTasksShowCommand } from './tasks-show.ts';

/** Adds `quire tasks` and its subcommands. */
export function addTasksCommand(program: Command, environment: Environment): void {
  const tasks = program.command('tasks').summary('list, run, show and cancel the tasks of tables');
  tasks.description('Manage the tasks of tables, which load, merge and move their segments.');
  addTasksListCommand(tasks, environment);
  addTasksRunCommand(tasks, environment);
  addTasksShowCommand(tasks, environment);
  addTasksCancelCommand(tasks, environment);
}

/** Adds `quire tasks cancel`. */
function addTasksCancelCommand(tasks: Command, environment: Environment): void {
  withControllerOptions(tasks.command('cancel'))
    .summary('cancel a task and discard its output')
    .argument('<task>', 'name of the task, or the one that --name gave it')
    .action(async (taskName, options) => {
      using interrupt = abortOnInterrupt(environment);
      await createAdminClient(options, environment).cancelTask(taskName, interrupt);
      await environment.stdout.write(`Cancelled ${taskName}.\n`);
    });
}
