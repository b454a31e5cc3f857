import { QuireError } from '@quire/core';
import type { FlightCall, OutgoingData } from '../flight-producer.ts';
import type { Command } from '../wire/sql-messages.ts';
import { encodeRows, encodeSqlInfo } from './encode-metadata.ts';
import type { FlightSqlProducer, TableEntry, TypeEntry } from './flight-sql-producer.ts';
import { matchesLike } from './like-pattern.ts';
import { type MetadataCommandName, metadataSchemas, tablesWithSchema } from './metadata-schemas.ts';

/** A command that requests metadata. */
export type MetadataCommand = Extract<Command, { readonly name: MetadataCommandName }>;

export function isMetadata(command: Command): command is MetadataCommand {
  return Object.hasOwn(metadataSchemas, command.name);
}

/** Returns the schema of the result of a metadata command. */
export function metadataSchemaOf(command: MetadataCommand) {
  return command.name === 'CommandGetTables' && command.value.includeSchema
    ? tablesWithSchema
    : metadataSchemas[command.name];
}

/** Returns the result of a metadata command, the schema first. */
export async function readMetadata<Context>(
  sql: FlightSqlProducer<Context>,
  command: MetadataCommand,
  call: FlightCall<Context>,
): Promise<readonly OutgoingData[]> {
  if (command.name === 'CommandGetSqlInfo') {
    const { info } = command.value;
    const wanted = info.length === 0 ? undefined : new Set(info);
    return encodeSqlInfo(sql.sqlInfo().filter(({ number }) => wanted?.has(number) ?? true));
  }
  return encodeRows(metadataSchemaOf(command), await rowsOf(sql, command, call));
}

type Row = readonly unknown[];

async function rowsOf<Context>(
  sql: FlightSqlProducer<Context>,
  command: Exclude<MetadataCommand, { readonly name: 'CommandGetSqlInfo' }>,
  call: FlightCall<Context>,
): Promise<readonly Row[]> {
  switch (command.name) {
    case 'CommandGetCatalogs':
      return (await sql.catalogs(call)).map((catalog) => [catalog]);
    case 'CommandGetDbSchemas': {
      const { catalog, dbSchemaPattern } = command.value;
      return (await sql.dbSchemas(call))
        .filter((each) => isIn(catalog, each.catalog) && isLike(dbSchemaPattern, each.dbSchema))
        .map((each) => [each.catalog, each.dbSchema]);
    }
    case 'CommandGetTables':
      return tableRows(sql, command.value, call);
    case 'CommandGetTableTypes':
      return (await sql.tableTypes(call)).map((type) => [type]);
    case 'CommandGetXdbcTypeInfo': {
      const { dataType } = command.value;
      return sql
        .typeInfo()
        .filter((type) => dataType === undefined || type.dataType === dataType)
        .map(typeRow);
    }
    // No table that this package serves has keys.
    case 'CommandGetPrimaryKeys':
    case 'CommandGetExportedKeys':
    case 'CommandGetImportedKeys':
    case 'CommandGetCrossReference':
      return [];
  }
  throw new QuireError('INTERNAL', 'A command of metadata has no rows.');
}

async function tableRows<Context>(
  sql: FlightSqlProducer<Context>,
  filter: Extract<MetadataCommand, { readonly name: 'CommandGetTables' }>['value'],
  call: FlightCall<Context>,
): Promise<readonly Row[]> {
  const { catalog, dbSchemaPattern, tablePattern, tableTypes, includeSchema } = filter;
  const tables = (await sql.tables(call)).filter(
    (table) =>
      isIn(catalog, table.catalog) &&
      isLike(dbSchemaPattern, table.dbSchema) &&
      matchesLike(tablePattern, table.name) &&
      (tableTypes.length === 0 || tableTypes.includes(table.type)),
  );
  const cellsOf = ({ catalog: of, dbSchema, name, type }: TableEntry) => [of, dbSchema, name, type];
  if (!includeSchema) return tables.map(cellsOf);
  const rows: Row[] = [];
  for (const table of tables) {
    const schema = await sql.tableSchema(table, call);
    // Deleted since the tables were listed.
    if (schema !== undefined) rows.push([...cellsOf(table), schema]);
  }
  return rows;
}

/** The empty name of a catalog means tables without a catalog. */
function isIn(wanted: string | undefined, catalog: string | null): boolean {
  return wanted === undefined || wanted === (catalog ?? '');
}

function isLike(pattern: string | undefined, dbSchema: string | null): boolean {
  return (
    pattern === undefined || (dbSchema === null ? pattern === '' : matchesLike(pattern, dbSchema))
  );
}

const isNullable = 1;
const isSearchable = 3;

function typeRow(type: TypeEntry): Row {
  return [
    type.name,
    type.dataType,
    type.columnSize,
    type.literalQuote,
    type.literalQuote,
    type.createParameters ?? null,
    isNullable,
    type.isCaseSensitive ?? false,
    isSearchable,
    type.isUnsigned,
    false,
    type.isUnsigned === null ? null : false,
    type.name,
    null,
    null,
    type.dataType,
    null,
    type.isUnsigned === null ? null : 10,
    null,
  ];
}
