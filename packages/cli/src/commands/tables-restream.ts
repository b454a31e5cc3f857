import { type Command, Option } from '@commander-js/extra-typings';
import type { QuireAdminClient, RestreamResponse } from '@quire/client';
import { QuireError } from '@quire/core';
import { parseTableName } from '@quire/core/table-engine';
import { visibleText } from '@quire/core/portable';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { integerFrom } from '../number-option.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { stylesFor } from '../styles.ts';
import { cellContent } from '../table/cell-text.ts';
import { nextByCommands } from '../tables/next-commands.ts';
import {
  describeRestream,
  destinationLag,
  elapsedOf,
  hasEnded,
  renderStages,
  stagesOf,
} from '../tables/restream-progress.ts';
import { withListOptions, writeMembers, writeRecords } from '../write-records.ts';

const examples = `
Examples:
  $ quire tables restream orders_REALTIME --to orders2_REALTIME --follow
  $ quire tables restream show orders_REALTIME
  $ quire tables restream cancel orders_REALTIME --drop`;

const columns = [
  { name: 'job', dataType: 'STRING', isWhole: true },
  { name: 'table', dataType: 'STRING', isWhole: true },
  { name: 'to', dataType: 'STRING', isWhole: true },
  { name: 'status', dataType: 'STRING', isWhole: true },
  { name: 'elapsed', dataType: 'STRING' },
];

/** Adds `quire tables restream TABLE --to DEST`, and the subcommands for such jobs. */
export function addTablesRestreamCommand(tables: Command, environment: Environment): void {
  const restream = tables
    .command('restream')
    .summary('rebuild a real-time table from its stream into a new one')
    .description(
      'Rebuild a real-time table from its stream into a new one while the old one serves queries, and manage such jobs.',
    )
    .addHelpText('after', examples);
  addStart(restream, environment);
  addList(restream, environment);
  addShow(restream, environment);
  addResume(restream, environment);
  addCancel(restream, environment);
}

function addStart(restream: Command, environment: Environment): void {
  withControllerOptions(restream.command('start', { isDefault: true }))
    .summary('start a job (the default subcommand)')
    .argument('<table>', 'the table to rebuild')
    .requiredOption('--to <table>', 'the table to create')
    .option('--server-tenant <name>', "server tenant of the new table; default: the source's")
    .option('--broker-tenant <name>', "broker tenant of the new table; default: the source's")
    .option(
      '--max-lag <messages>',
      'messages that each partition may lag behind at the end (server default: 5000)',
      integerFrom(0),
    )
    .option(
      '--max-rebalance-min <minutes>',
      'timeout of the rebalance (server default: 120)',
      integerFrom(1),
    )
    .option('--pause', 'wait at the start, until restream resume')
    .option(
      '--follow',
      'show the progress of each stage until the job has ended; Ctrl-C stops following, not the job',
    )
    .option('--json', 'the job as one line of JSON')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const started = await client.startRestream(
        realtimeName(table),
        {
          destTableNameWithType: realtimeName(options.to),
          destServerTenant: options.serverTenant,
          destBrokerTenant: options.brokerTenant,
          debugPause: options.pause,
          maxTableStreamLag: options.maxLag,
          maxRebalanceTimeMin: options.maxRebalanceMin,
        },
        interrupt,
      );
      const job =
        options.follow === true
          ? await followRestream(client, started, environment, interrupt.signal)
          : started;
      await writeJob(job, options.json, environment);
      if (options.follow === true) assertDone(job);
    });
}

function addList(restream: Command, environment: Environment): void {
  withListOptions(withControllerOptions(restream.command('list')))
    .summary('list all jobs, newest first')
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const jobs = await createAdminClient(options, environment).listRestreams(interrupt);
      const cells = ({ jobId, restreamConfig, status }: RestreamResponse): string[] => [
        jobId,
        restreamConfig.tableNameWithType,
        restreamConfig.destTableNameWithType,
        status,
      ];
      await writeRecords(
        {
          columns,
          plainNames: ['job', 'table', 'to', 'status', 'elapsed seconds'],
          items: jobs,
          shown: (job) => [...cells(job), elapsedOf(job)],
          plain: (job) => [...cells(job), job.timeElapsedSinceStartInSeconds],
          emptyText: 'no restream jobs',
        },
        options,
        environment,
      );
    });
}

function addShow(restream: Command, environment: Environment): void {
  withControllerOptions(restream.command('show'))
    .summary('show the job of a table')
    .description('Show the running job of a table, or else the latest one.')
    .argument('<table>', 'the table that is rebuilt')
    .option('--follow', 'show the progress of each stage until the job has ended')
    .option('--json', 'the job as one line of JSON')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const found = await client.readTableRestream(realtimeName(table), interrupt);
      const job =
        options.follow === true
          ? await followRestream(client, found, environment, interrupt.signal)
          : found;
      if (options.json === true || options.follow === true) {
        await writeJob(job, options.json, environment);
      } else await writeMembers(membersOf(job), environment);
      if (options.follow === true) assertDone(job);
    });
}

function addResume(restream: Command, environment: Environment): void {
  withControllerOptions(restream.command('resume'))
    .summary('resume a job that waits at its start')
    .argument('<table>', 'the table that is rebuilt')
    .option('--json', 'the job as one line of JSON')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      const job = await createAdminClient(options, environment).resumeRestream(
        realtimeName(table),
        interrupt,
      );
      await writeRequest(job, 'resumes', options.json, environment);
    });
}

function addCancel(restream: Command, environment: Environment): void {
  withControllerOptions(restream.command('cancel'))
    .summary('cancel the job of a table')
    .description(
      'Cancel the job of a table. The new table is paused and kept, unless --drop is given.',
    )
    .argument('<table>', 'the table that is rebuilt')
    .addOption(new Option('--drop', 'drop the new table, also that of a job that has failed'))
    .option('--json', 'the job as one line of JSON')
    .action(async (table, { drop, json, ...server }) => {
      using interrupt = abortOnInterrupt(environment);
      const call = { signal: interrupt.signal, dropDestination: drop };
      const client = createAdminClient(server, environment);
      const job = await client.cancelRestream(realtimeName(table), call);
      const { destTableNameWithType } = job.restreamConfig;
      const what = `is cancelled${drop === true ? `, and ${destTableNameWithType} dropped` : ''}`;
      await writeRequest(job, what, json, environment);
    });
}

/**
 * Reports the requested change of a job, because the server returns its state before the change.
 */
function writeRequest(
  job: RestreamResponse,
  what: string,
  isJson: true | undefined,
  environment: Environment,
): Promise<void> {
  if (isJson === true) return writeJob(job, isJson, environment);
  const { tableNameWithType } = job.restreamConfig;
  const text = `The restream of ${tableNameWithType} ${what}. Its progress: quire tables restream show ${tableNameWithType}`;
  return environment.stdout.write(`${visibleText(text)}\n`);
}

function realtimeName(name: string): string {
  return parseTableName(name).type === undefined ? `${name}_REALTIME` : name;
}

function writeJob(
  job: RestreamResponse,
  isJson: true | undefined,
  { stdout }: Environment,
): Promise<void> {
  return stdout.write(
    isJson === true ? `${cellContent({ ...job })}\n` : `${describeRestream(job)}\n`,
  );
}

/** Fails the command if a job that was followed did not succeed. @throws CONFLICT */
function assertDone({ jobId, status }: RestreamResponse): void {
  if (status === 'DONE') return;
  throw new QuireError('CONFLICT', `The job ${visibleText(jobId)} ended ${status}.`);
}

function membersOf(job: RestreamResponse): (readonly [string, string | number])[] {
  const { tableNameWithType, destTableNameWithType } = job.restreamConfig;
  return [
    ['job', job.jobId],
    ['table', tableNameWithType],
    ['to', destTableNameWithType],
    ['status', job.status],
    ['elapsed', elapsedOf(job)],
    ...job.stages.map(({ stage, outcome }) => [stage, outcome ?? 'in progress'] as const),
    ...(job.tableStreamProgress.lastProbedLag < 0
      ? []
      : [['lag', job.tableStreamProgress.lastProbedLag] as const]),
    ...(job.lastProblem === null
      ? []
      : [['last problem', `${job.lastProblem.code}: ${job.lastProblem.message}`] as const]),
    ...(job.error === null ? [] : [['error', `${job.error.code}: ${job.error.message}`] as const]),
    ['next', nextByCommands(job.next)],
  ];
}

const pollEveryMs = 1000;

/**
 * Follows a job until it has ended: a bar for each stage on a terminal, a line for each new stage
 * in a pipe, both on standard error. Aborting stops following, not the job.
 */
async function followRestream(
  client: QuireAdminClient,
  started: RestreamResponse,
  environment: Environment,
  signal: AbortSignal,
): Promise<RestreamResponse> {
  const { stderr, clock, variables } = environment;
  const styles = stylesFor(stderr, variables);
  let [job, lagAtStart, lineCount, said] = [started, 0, 0, ''];
  for (;;) {
    lagAtStart = Math.max(lagAtStart, destinationLag(job) ?? 0);
    if (stderr.isTerminal) {
      const lines = renderStages(stagesOf(job, lagAtStart), {
        styles,
        widthMax: stderr.size.columns,
      });
      const home = lineCount === 0 ? '' : `\u001b[${lineCount}A\r\u001b[J`;
      await stderr.write(`${home}${lines.join('\n')}\n`);
      lineCount = lines.length;
    } else if (job.status !== said) {
      await stderr.write(`${job.status}\t${nextByCommands(job.next)}\n`);
      said = job.status;
    }
    if (hasEnded(job)) return job;
    await clock.sleep(pollEveryMs, signal);
    job = await client.readRestream(job.jobId, { signal });
  }
}
