import type { Command } from '@commander-js/extra-typings';
import type { JsonObject } from '@quire/client';
import { QuireError } from '@quire/core';
import { type Finding, parseTableName } from '@quire/core/table-engine';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { readJsonObject } from '../read-json-file.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { stylesFor } from '../styles.ts';
import { cellContent } from '../table/cell-text.ts';
import { renderFindings } from '../tables/render-findings.ts';

const examples = `
Examples:
  $ quire tables preview stocks.csv --write                                  # stocks.table.json, stocks.schema.json
  $ quire tables create stocks.table.json --schema stocks.schema.json        # both, or neither
  $ quire tables create stocks-realtime.table.json                           # the other half, whose schema exists`;

/** Adds `quire tables create`. */
export function addTablesCreateCommand(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('create'))
    .summary('create a table from its config')
    .description(
      'Create a table from its config, and with --schema its schema as well. All problems are reported at once.',
    )
    .argument('<config>', 'the table config, a JSON file')
    .option('-s, --schema <file>', 'the schema, a JSON file; without it, the schema must exist')
    .option('--json', "the controller's answer as one line of JSON")
    .addHelpText('after', examples)
    .action(async (path, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const config = await readJsonObject(path, environment);
      const { rawName, half } = halfOf(config, path);
      const answer =
        options.schema === undefined
          ? await client.createTable(config, interrupt)
          : await client.createTableConfigs(
              {
                tableName: rawName,
                schema: await readJsonObject(options.schema, environment),
                [half]: config,
              },
              interrupt,
            );
      const { stdout, stderr, variables } = environment;
      if (options.json === true) return await stdout.write(`${cellContent(answer)}\n`);
      await stdout.write(`Created ${rawName}_${half.toUpperCase()}.\n`);
      const findings = (answer['findings'] ?? []) as unknown as readonly Finding[];
      const widthMax = stderr.isTerminal ? stderr.size.columns : Number.POSITIVE_INFINITY;
      const lines = renderFindings(findings, { styles: stylesFor(stderr, variables), widthMax });
      if (lines.length > 0) await stderr.write(`${lines.join('\n')}\n`);
    });
}

/**
 * Returns the table and the half that a config is for, from its name or its type. @throws
 * INVALID_BODY
 */
function halfOf(
  config: JsonObject,
  path: string,
): { readonly rawName: string; readonly half: 'offline' | 'realtime' } {
  const { tableName, tableType } = config;
  if (typeof tableName !== 'string' || tableName === '') {
    throw new QuireError('INVALID_BODY', `${path} has no tableName.`);
  }
  const { rawName, type } = parseTableName(tableName);
  const half = (type ?? (typeof tableType === 'string' ? tableType : '')).toLowerCase();
  if (half === 'offline' || half === 'realtime') return { rawName, half };
  throw new QuireError(
    'INVALID_BODY',
    `${path}: tableType is ${JSON.stringify(tableType ?? null)}; expected OFFLINE or REALTIME.`,
  );
}
