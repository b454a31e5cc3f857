import type { Command } from '@commander-js/extra-typings';
import type { Cell, JsonObject, QuireAdminClient } from '@quire/client';
import { formatBytes, QuireError } from '@quire/core';
import { visibleLines } from '@quire/core/portable';
import { parseTableName } from '@quire/core/table-engine';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt, type Interrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { stylesFor } from '../styles.ts';
import { cellContent, indentedJson } from '../table/cell-text.ts';
import { layOutTable } from '../table/text-table.ts';
import { consumptionState, parsePartitions, totalLag } from '../tables/consumption-lag.ts';
import { type HalfSize, withFileSizes } from '../tables/half-sizes.ts';
import { columnsOfSchema } from '../tables/schema-columns.ts';
import { writeMembers } from '../write-records.ts';

type Members = [string, Cell][];

/** Adds `quire tables show`. */
export function addTablesShowCommand(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('show'))
    .summary('show a table: config, schema, size, consumption')
    .description(
      'Show a table, or one half of it if the name ends in _OFFLINE or _REALTIME. In a pipe: a line for each property, with a tab after its name.',
    )
    .argument('<table>', 'name of the table')
    .option('--json', 'schema, configs, sizes and consumption as one line of JSON')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const { rawName, type } = parseTableName(table);
      const configs = await client.readTable(rawName, interrupt);
      const isRealtime = type !== 'OFFLINE' && (configs['realtime'] ?? null) !== null;
      // Concurrently, because each call waits for servers that may hang.
      const [allSizes, consumption] = await Promise.all([
        client.readTableSizes(rawName, interrupt),
        isRealtime ? readConsumption(client, `${rawName}_REALTIME`, interrupt) : null,
      ]);
      const isEmpty = allSizes.every(({ segmentCount }) => segmentCount === 0);
      const fileTables = isEmpty ? await client.listFileTables(interrupt) : [];
      const files = fileTables.find(({ tableName }) => tableName === rawName);
      const sizes = withFileSizes(allSizes, files).filter(
        (size) => (type ?? size.type) === size.type,
      );
      if (sizes.length === 0) {
        throw new QuireError('TABLE_NOT_FOUND', `There is no table '${table}'.`);
      }
      if (options.json === true) {
        const halves = sizes.map(
          (size) => [size.type.toLowerCase(), configs[size.type.toLowerCase()] ?? null] as const,
        );
        const all = {
          tableName: rawName,
          schema: configs['schema'] ?? null,
          ...Object.fromEntries(halves),
          sizes,
          consumption,
        };
        return await environment.stdout.write(`${cellContent(all as unknown as Cell)}\n`);
      }
      const facts = sizes.flatMap((size) => describeHalf(size, consumption));
      const { stdout } = environment;
      if (!stdout.isTerminal) {
        return await writeMembers([...facts, ...describeDocuments(configs, sizes)], environment);
      }
      await writeMembers(facts, environment);
      await stdout.write(layOutDocuments(configs, sizes, environment));
    });
}

interface Consumption {
  readonly pause: JsonObject;
  readonly segments: JsonObject;
}

async function readConsumption(
  client: QuireAdminClient,
  tableNameWithType: string,
  interrupt: Interrupt,
): Promise<Consumption> {
  const [pause, segments] = await Promise.all([
    client.readPauseStatus(tableNameWithType, interrupt),
    client.readConsumingSegments(tableNameWithType, interrupt),
  ]);
  return { pause, segments };
}

function describeHalf(
  { tableNameWithType, type, rowCount, fileCount, segmentCount, sizeBytes, notices = [] }: HalfSize,
  consumption: Consumption | null,
): Members {
  const members: Members = [
    ['table', tableNameWithType],
    ...(rowCount === undefined ? [] : [['rows', rowCount] satisfies [string, Cell]]),
    fileCount === undefined ? ['segments', segmentCount] : ['files', fileCount],
    ['size', formatBytes(sizeBytes)],
    ...notices.map((notice): [string, Cell] => ['not known', notice]),
  ];
  if (type !== 'REALTIME' || consumption === null) return members;
  const partitions = parsePartitions(consumption.segments);
  const isPaused = consumption.pause['pauseFlag'] === true;
  members.push(
    ['consumption', isPaused ? 'paused' : consumptionState(partitions)],
    ['partitions', partitions.length],
    ['lag', totalLag(partitions) ?? 'not known yet'],
  );
  for (const { partition, remarks } of partitions) {
    for (const remark of remarks) members.push([`partition ${partition}`, remark]);
  }
  return members;
}

function describeDocuments(configs: JsonObject, sizes: readonly HalfSize[]): Members {
  return [['schema', configs['schema'] as Cell], ...configsOf(configs, sizes)];
}

function configsOf(configs: JsonObject, sizes: readonly HalfSize[]): Members {
  return sizes.map(({ type }) => [`config ${type}`, configs[type.toLowerCase()] as Cell]);
}

const columnNames = ['column', 'type', 'kind'].map((name) => ({ name, dataType: 'STRING' }));

/** Lays out the columns of the schema as a table, and each config over several lines. */
function layOutDocuments(
  configs: JsonObject,
  sizes: readonly HalfSize[],
  { stdout, variables }: Environment,
): string {
  const styles = stylesFor(stdout, variables);
  const rows = columnsOfSchema(configs['schema']).map(({ name, dataType, kind }) => [
    name,
    dataType,
    kind,
  ]);
  const table = layOutTable(columnNames, rows, { widthMax: stdout.size.columns, styles });
  const texts = configsOf(configs, sizes).map(
    ([name, config]) => `${styles.faint(name)}\n${visibleLines(indentedJson(config))}`,
  );
  return `\n${[[...table.header, ...table.lines].join('\n'), ...texts].join('\n\n')}\n`;
}
