import { tableAdminOperations as operations } from '@quire/api';
import { isQuireError, type JsonValue, QuireError } from '@quire/core';
import {
  parseTableName,
  type SegmentDescription,
  type TableConfigDocument,
  type TableCreated,
  type TableDescription,
  type TableEngine,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import { principalOf, type RouteHandler, routeOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from '../object-body.ts';
import { clusterHandlers } from './cluster-handlers.ts';
import { assertSecretsKnown, readableConfig } from './hide-secrets.ts';
import { booleanOf } from './stream-routes.ts';
import {
  authorizeChange,
  bodyOf,
  halvesOf,
  readHalves,
  pathOf,
  sendJson,
  tablesOf,
  typeOf,
} from './table-context.ts';

type Handlers = Readonly<Partial<Record<keyof typeof operations, RouteHandler>>>;

/** The size of one half of a table on the wire. */
interface HalfSize {
  readonly reportedSizeInBytes: number;
  readonly numRows: number;
  readonly segments: object;
}

function halfSizeOf(bytes: number, segments: readonly SegmentDescription[]): HalfSize {
  const bySegment = segments.map(
    ({ segmentName, sizeBytes, problem, notice }) =>
      [
        segmentName,
        {
          reportedSizeInBytes: sizeBytes,
          ...(problem !== undefined && { problem }),
          ...(notice !== undefined && { notice }),
        },
      ] as const,
  );
  const numRows = segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return { reportedSizeInBytes: bytes, numRows, segments: Object.fromEntries(bySegment) };
}

/** The calls about tables and schemas (TABLES.md section 2), as in Apache Pinot's controller. */
export function tableRoutes(context: ControllerContext): readonly RouteOptions[] {
  const engine = (): TableEngine => tablesOf(context).engine;
  const body = objectBody(
    context.options.bodyBytesMax,
    () => context.options.preview?.limits.digitsMax,
  );
  const handlers: Handlers = {
    ...tableHandlers(context, engine),
    ...segmentHandlers(context, engine),
    ...schemaHandlers(context, engine),
    ...clusterHandlers(context),
  };
  return Object.entries(handlers).map(([id, handler]) => {
    const operation = operations[id as keyof typeof operations];
    return routeOf(operation, handler, operation.schema.body === undefined ? undefined : body);
  });
}

function tableHandlers(context: ControllerContext, engine: () => TableEngine): Handlers {
  const { readTables } = context;
  const nameOf = (request: FastifyRequest): string => pathOf(request)['tableName'] ?? '';
  const read = async (request: FastifyRequest): Promise<readonly TableDescription[]> => {
    const signal = signalOf(request);
    const halves = await halvesOf(readTables, nameOf(request), typeOf(request), signal);
    return readHalves(halves, ({ tableNameWithType }) =>
      readTables.readTable(tableNameWithType, { signal }),
    );
  };
  return {
    createTable: async (request, reply) => {
      const config = configOf(request);
      authorizeChange(request, 'table created', { table: config.tableName });
      const created = await engine().createTable(config);
      return sendJson(
        reply,
        doneOf(created, `Table ${created.tableNameWithType} successfully added`),
      );
    },
    readTable: async (request, reply) =>
      sendJson(
        reply,
        Object.fromEntries(
          (await read(request)).map(({ type, config }) => [
            type,
            readableConfig(config, principalOf(request)),
          ]),
        ),
      ),
    updateTable: async (request, reply) => {
      const config = configOf(request);
      assertSameTable(nameOf(request), config.tableName);
      authorizeChange(request, 'table config replaced', { table: config.tableName });
      const updated = await engine().updateTable(config);
      return sendJson(
        reply,
        doneOf(updated, `Table config updated for ${updated.tableNameWithType}`),
      );
    },
    deleteTable: async (request, reply) => {
      const halves = await halvesOf(engine(), nameOf(request), typeOf(request), signalOf(request));
      const names = halves.map(({ tableNameWithType }) => tableNameWithType);
      authorizeChange(request, 'table deleted', { tables: names });
      for (const name of names) await assertUnused(context, name);
      for (const name of names) await engine().deleteTable(name);
      return sendJson(reply, { status: `Tables: [${names.join(', ')}] deleted` });
    },
    readTableSize: async (request, reply) => {
      const signal = signalOf(request);
      const halves = await halvesOf(readTables, nameOf(request), typeOf(request), signal);
      const sizes: Record<string, HalfSize | null> = { OFFLINE: null, REALTIME: null };
      let totalBytes = 0;
      const lists = await readHalves(halves, async ({ tableNameWithType, type }) => ({
        type,
        segments: await readTables.listSegments(tableNameWithType, { signal }),
      }));
      for (const { type, segments } of lists) {
        const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        totalBytes += bytes;
        sizes[type] = halfSizeOf(bytes, segments);
      }
      return sendJson(reply, {
        tableName: parseTableName(nameOf(request)).rawName,
        reportedSizeInBytes: totalBytes,
        estimatedSizeInBytes: totalBytes,
        offlineSegments: sizes['OFFLINE'],
        realtimeSegments: sizes['REALTIME'],
      });
    },
    updateTableSchema: async (request, reply) => {
      const schema = schemaOf(request);
      authorizeChange(request, 'schema replaced', { schema: schema.schemaName });
      const halves = await halvesOf(engine(), nameOf(request), undefined, signalOf(request));
      const current = await engine().readTable(halves[0]?.tableNameWithType ?? '', {
        signal: signalOf(request),
      });
      if (current.schema.schemaName !== schema.schemaName) {
        throw new QuireError(
          'INVALID_BODY',
          `schemaName is '${schema.schemaName.slice(0, 100)}'; expected '${current.schema.schemaName}', the schema of the table.`,
        );
      }
      await engine().updateSchema(schema);
      return sendJson(reply, {
        unrecognizedProperties: {},
        status: `${schema.schemaName} successfully added`,
      });
    },
  };
}

function segmentHandlers({ readTables }: ControllerContext, engine: () => TableEngine): Handlers {
  return {
    listSegments: async (request, reply) => {
      const signal = signalOf(request);
      const halves = await halvesOf(
        readTables,
        pathOf(request)['tableName'] ?? '',
        typeOf(request),
        signal,
      );
      const lists = await readHalves(halves, async ({ tableNameWithType, type }) => {
        const segments = await readTables.listSegments(tableNameWithType, { signal });
        return { [type]: segments.map(({ segmentName }) => segmentName) };
      });
      return sendJson(reply, lists);
    },
    readSegment: async (request, reply) => {
      const { segment } = await findSegment(readTables, request);
      const custom = readableConfig(segment.custom, principalOf(request));
      return sendJson(reply, segmentMetadataOf({ ...segment, custom }));
    },
    deleteSegment: async (request, reply) => {
      const { tableNameWithType, segment } = await findSegment(engine(), request);
      authorizeChange(request, 'segment deleted', {
        table: tableNameWithType,
        segment: segment.segmentName,
      });
      await engine().deleteSegment(tableNameWithType, segment.segmentName);
      return sendJson(reply, { status: 'Segment deleted' });
    },
  };
}

function schemaHandlers({ readTables }: ControllerContext, engine: () => TableEngine): Handlers {
  const nameOf = (request: FastifyRequest): string => pathOf(request)['schemaName'] ?? '';
  return {
    listSchemas: async (request, reply) =>
      sendJson(reply, await readTables.listSchemas({ signal: signalOf(request) })),
    createSchema: async (request, reply) => {
      const schema = schemaOf(request);
      const mayReplace = booleanOf(request, 'override');
      authorizeChange(request, 'schema created', { schema: schema.schemaName });
      try {
        await engine().createSchema(schema);
      } catch (error) {
        if (!mayReplace || !isQuireError(error, 'SCHEMA_EXISTS')) throw error;
        await engine().updateSchema(schema);
      }
      return sendJson(reply, {
        unrecognizedProperties: {},
        status: `${schema.schemaName} successfully added`,
      });
    },
    readSchema: async (request, reply) =>
      sendJson(reply, await readTables.readSchema(nameOf(request), { signal: signalOf(request) })),
    updateSchema: async (request, reply) => {
      const schema = schemaOf(request);
      if (schema.schemaName !== nameOf(request)) {
        throw new QuireError(
          'INVALID_BODY',
          `schemaName is '${schema.schemaName.slice(0, 100)}'; expected '${nameOf(request)}', as in the path.`,
        );
      }
      authorizeChange(request, 'schema replaced', { schema: schema.schemaName });
      await engine().updateSchema(schema);
      return sendJson(reply, {
        unrecognizedProperties: {},
        status: `${schema.schemaName} successfully added`,
      });
    },
    deleteSchema: async (request, reply) => {
      authorizeChange(request, 'schema deleted', { schema: nameOf(request) });
      await engine().deleteSchema(nameOf(request));
      return sendJson(reply, { status: `Schema ${nameOf(request)} deleted` });
    },
  };
}

/** @throws TABLE_IN_USE while a restream job works with the table, with the job's id */
export async function assertUnused(
  context: ControllerContext,
  tableNameWithType: string,
): Promise<void> {
  const job = await tablesOf(context).restreams.findActive(tableNameWithType);
  if (job === undefined) return;
  throw new QuireError(
    'TABLE_IN_USE',
    `The restream job ${job.jobId} uses ${tableNameWithType}. Wait until it has ended, or cancel it.`,
  );
}

function doneOf({ findings }: TableCreated, status: string): object {
  return { unrecognizedProperties: {}, status, ...(findings.length > 0 && { findings }) };
}

/** @throws INVALID_BODY without a name, or without its secrets */
function configOf(request: FastifyRequest): TableConfigDocument {
  const config = documentOf<TableConfigDocument>(bodyOf(request), 'tableName');
  assertSecretsKnown(config);
  return withTypedName(config);
}

/** @throws INVALID_BODY without a name */
function schemaOf(request: FastifyRequest): TableSchemaDocument {
  return documentOf<TableSchemaDocument>(bodyOf(request), 'schemaName');
}

/** Returns a document that has its name. @throws INVALID_BODY */
export function documentOf<Document>(
  value: Readonly<Record<string, JsonValue>>,
  nameMember: string,
): Document {
  const name = value[nameMember];
  if (typeof name === 'string' && name !== '') return value as Document;
  throw new QuireError(
    'INVALID_BODY',
    `${nameMember} is ${name === undefined ? 'missing' : 'not a text'}; expected a name.`,
  );
}

/**
 * Returns the config with its type in its name. @throws INVALID_BODY when neither the name nor
 * `tableType` has the type, or they differ
 */
export function withTypedName(config: TableConfigDocument): TableConfigDocument {
  const { rawName, type } = parseTableName(config.tableName);
  const given =
    typeof config['tableType'] === 'string' ? config['tableType'].toUpperCase() : undefined;
  if (given !== undefined && given !== 'OFFLINE' && given !== 'REALTIME') {
    throw new QuireError(
      'INVALID_BODY',
      `tableType is '${given.slice(0, 40)}'; expected OFFLINE or REALTIME.`,
    );
  }
  if (type !== undefined && given !== undefined && type !== given) {
    throw new QuireError(
      'INVALID_BODY',
      `tableName is '${config.tableName.slice(0, 100)}' and tableType is '${given}'; expected the same type.`,
    );
  }
  const known = type ?? given;
  if (known === undefined) {
    throw new QuireError('INVALID_BODY', 'tableType is missing; expected OFFLINE or REALTIME.');
  }
  return { ...config, tableName: `${rawName}_${known}`, tableType: known };
}

function assertSameTable(inPath: string, inBody: string): void {
  const [path, body] = [parseTableName(inPath), parseTableName(inBody)];
  const isSame =
    path.rawName === body.rawName && (path.type === undefined || path.type === body.type);
  if (isSame) return;
  throw new QuireError(
    'INVALID_BODY',
    `tableName is '${inBody.slice(0, 100)}'; expected '${inPath.slice(0, 100)}', as in the path.`,
  );
}

async function findSegment(
  engine: TableEngine,
  request: FastifyRequest,
): Promise<{ readonly tableNameWithType: string; readonly segment: SegmentDescription }> {
  const { tableName = '', segmentName = '' } = pathOf(request);
  const signal = signalOf(request);
  for (const { tableNameWithType } of await halvesOf(engine, tableName, undefined, signal)) {
    const segments = await engine.listSegments(tableNameWithType, { signal });
    const segment = segments.find((each) => each.segmentName === segmentName);
    if (segment !== undefined) return { tableNameWithType, segment };
  }
  throw new QuireError(
    'SEGMENT_NOT_FOUND',
    `The table ${tableName.slice(0, 200)} has no segment '${segmentName.slice(0, 200)}'.`,
  );
}

/** Returns the metadata of a segment under Apache Pinot's keys, all as texts. */
function segmentMetadataOf(segment: SegmentDescription): object {
  const text = (name: string, value: string | number | null | undefined): Record<string, string> =>
    value === null || value === undefined ? {} : { [name]: String(value) };
  return {
    'segment.name': segment.segmentName,
    'segment.realtime.status': segment.state === 'CONSUMING' ? 'IN_PROGRESS' : 'DONE',
    ...text('segment.total.docs', segment.rowCount),
    ...text('segment.size.in.bytes', segment.sizeBytes),
    ...text('segment.start.time', segment.minTimeMs),
    ...text('segment.end.time', segment.maxTimeMs),
    ...(segment.minTimeMs !== null && { 'segment.time.unit': 'MILLISECONDS' }),
    ...text('segment.creation.time', segment.createdMs),
    ...text('segment.push.time', segment.committedMs),
    ...text('segment.crc', segment.checksum),
    ...text('segment.problem', segment.problem),
    ...text('segment.notice', segment.notice),
    ...text('segment.realtime.startOffset', segment.stream?.startOffset),
    ...text('segment.realtime.endOffset', segment.stream?.endOffset),
    ...(Object.keys(segment.custom).length > 0 && { custom: segment.custom }),
  };
}
