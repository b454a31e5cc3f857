import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';

/** Adds `quire tasks cancel`. */
export function addTasksCancelCommand(tasks: Command, environment: Environment): void {
  withControllerOptions(tasks.command('cancel'))
    .summary('end a task; nothing of what it made stays')
    .argument('<task>', 'name of the task')
    .action(async (taskName, options) => {
      using interrupt = abortOnInterrupt(environment);
      await createAdminClient(options, environment).cancelTask(taskName, interrupt);
      await environment.stdout.write(`Cancelled ${taskName}.\n`);
    });
}
