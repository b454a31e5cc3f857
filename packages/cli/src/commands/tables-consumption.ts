import { type Command, Option } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { grouped } from '../phrases.ts';
import { showProgress } from '../progress.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';

const pollEveryMs = 500;

/** Adds `quire tables pause`, `resume` and `commit`. */
export function addTablesConsumptionCommands(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('pause'))
    .summary('stop consuming the stream of a table')
    .description('Stop consuming the stream of a real-time table. Consumed rows are committed.')
    .argument('<table>', 'name of the table')
    .option('--comment <text>', 'reason, shown to others')
    .option('--json', "the controller's answer as one line of JSON")
    .action(async (table, { comment, json, ...server }) => {
      using interrupt = abortOnInterrupt(environment);
      const { signal } = interrupt;
      const status = await createAdminClient(server, environment).pauseConsumption(table, {
        signal,
        comment,
      });
      await environment.stdout.write(
        json === true ? `${JSON.stringify(status)}\n` : `Paused ${table}.\n`,
      );
    });

  withControllerOptions(tables.command('resume'))
    .summary('resume consuming the stream of a table')
    .description('Resume consuming the stream of a real-time table.')
    .argument('<table>', 'name of the table')
    .addOption(
      new Option(
        '--from <place>',
        'where to continue; default: after the last consumed message',
      ).choices(['lastConsumed', 'smallest', 'largest']),
    )
    .option('--comment <text>', 'reason, shown to others')
    .option('--json', "the controller's answer as one line of JSON")
    .action(async (table, { from: consumeFrom, comment, json, ...server }) => {
      using interrupt = abortOnInterrupt(environment);
      const { signal } = interrupt;
      const status = await createAdminClient(server, environment).resumeConsumption(table, {
        signal,
        comment,
        consumeFrom,
      });
      await environment.stdout.write(
        json === true ? `${JSON.stringify(status)}\n` : `Resumed ${table}.\n`,
      );
    });

  withControllerOptions(tables.command('commit'))
    .summary('commit the consuming segments of a table')
    .description(
      'Commit the consuming segments of a real-time table, and wait until they are. Ctrl-C stops the wait, not the commit.',
    )
    .argument('<table>', 'name of the table')
    .option('--no-wait', 'do not wait')
    .option('--json', 'the job as one line of JSON')
    .action(async (table, { wait, json, ...server }) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(server, environment);
      const jobId = await client.forceCommit(table, interrupt);
      await using progress = showProgress(environment, `committing ${table}`);
      let job = await client.readForceCommit(jobId, interrupt);
      while (wait && job.pendingSegmentNames.length > 0) {
        progress.say(
          `${job.segmentCount - job.pendingSegmentNames.length} of ${job.segmentCount} segments`,
        );
        await environment.clock.sleep(pollEveryMs, interrupt.signal);
        job = await client.readForceCommit(jobId, interrupt);
      }
      await progress[Symbol.asyncDispose]();
      const doneCount = job.segmentCount - job.pendingSegmentNames.length;
      const text = `${grouped(doneCount)} of ${grouped(job.segmentCount)} segments committed (job ${jobId}).`;
      await environment.stdout.write(json === true ? `${JSON.stringify(job)}\n` : `${text}\n`);
    });
}
