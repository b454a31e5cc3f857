import { type Command, Option } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { integerFrom } from '../number-option.ts';
import { formatProblem, formulasOption } from '../query/format-options.ts';
import { browseResult, printFirstRows } from '../query/browse-result.ts';
import { addParameter, parametersOf } from '../query/query-parameters.ts';
import { type OutputFormat, outputFormats, streamResult } from '../query/stream-result.ts';
import { createClient, createQueryClient, withServerOptions } from '../server-options.ts';

const examples = `
On a terminal the result opens as a table: n and p turn pages, g goes to a row, ? lists all keys.
In a pipe all rows are written as lines of tab-separated cells, as the query produces them; NULL is \\N.

Examples:
  $ quire query "SELECT * FROM flights"
  $ quire query "SELECT origin, count(*) FROM flights GROUP BY ALL" | sort -k2 -n
  $ quire query "SELECT * FROM flights WHERE origin = \\$origin AND delay > \\$delay" --param origin=JFK --param delay=30
  $ quire query --format csv "SELECT * FROM flights" > flights.csv
  $ quire query --json --rows 5 --offset 1000000 "SELECT * FROM flights"`;

/** Adds `quire query`. */
export function addQueryCommand(program: Command, environment: Environment): void {
  withServerOptions(program.command('query'))
    .summary('run a query and show its result')
    .description(
      'Run a query: the server stores its whole result, and this command shows it page by page.',
    )
    .argument('[sql]', 'one SELECT statement; read from standard input when absent')
    .addOption(
      new Option(
        '-f, --format <format>',
        'format of the rows; default: table on a terminal, tsv in a pipe',
      ).choices(outputFormats),
    )
    .addOption(
      new Option('--json', 'the same as --format ndjson: one JSON object per line').conflicts(
        'format',
      ),
    )
    .addOption(formulasOption())
    .option('--header', 'with tsv: start with a header line')
    .option(
      '-n, --rows <count>',
      'stop after this many rows, without the pager, and cancel the query if it is still running',
      integerFrom(1),
    )
    .option('--offset <row>', 'skip this many rows', integerFrom(0), 0)
    .option(
      '-p, --param <name=value>',
      'a value for $name in the SQL, or for $1; with a type as name:DATE=value; may be given several times',
      addParameter,
    )
    .option(
      '--page-size <count>',
      'rows per page on the terminal; rows per request in a pipe',
      integerFrom(1),
    )
    .addHelpText('after', examples)
    .action(async (sqlArgument, options, command) => {
      const { stdin, stdout } = environment;
      const sql = sqlArgument ?? (stdin.isTerminal ? '' : await stdin.readText());
      if (sql.trim() === '') {
        command.error('error: there is no SQL: give it as an argument or on standard input');
      }
      const format: OutputFormat | undefined = options.json === true ? 'ndjson' : options.format;
      const { formulas } = options;
      const problem = formatProblem(format, formulas, stdout.isTerminal);
      if (problem !== undefined) command.error(problem);
      const queryClient = createQueryClient(options, environment);
      using interrupt = abortOnInterrupt(environment);
      const request = {
        sql,
        parameters: options.param && parametersOf(options.param),
        offset: options.offset,
        rowCountMax: options.rows,
        pageSize: options.pageSize,
        signal: interrupt.signal,
      };
      const isForPeople = stdout.isTerminal && (format === undefined || format === 'table');
      if (!isForPeople) {
        await streamResult(
          environment,
          { ...request, client: createClient(options, environment), queryClient },
          { format: format ?? 'tsv', formulas, header: options.header === true },
        );
      } else if (stdin.isTerminal && options.rows === undefined) {
        await browseResult(environment, { ...request, client: queryClient });
      } else {
        await printFirstRows(environment, { ...request, client: queryClient });
      }
    });
}
