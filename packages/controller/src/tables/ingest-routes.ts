import { tableAdminOperations as operations } from '@quire/api';
import { QuireError } from '@quire/core';
import type { Ingested, IngestRequest } from '@quire/core/table-engine';
import { admitWork, countWork, openUpload, routeOf, signalOf, uploadRoute } from '@quire/service';
import { assertBatchMembers } from '@quire/tables';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { authorizeChange, parameterOf, sendJson, tablesOf } from './table-context.ts';

/**
 * The calls that load files into tables. The file of `ingestFromFile` is streamed: it may be larger
 * than memory.
 */
export function ingestRoutes(context: ControllerContext): readonly RouteOptions[] {
  const ingest = (request: FastifyRequest, asked: IngestRequest): Promise<Ingested> => {
    const ingesting = tablesOf(context).engine.ingest(asked, { signal: signalOf(request) });
    countWork(request, ingesting);
    return ingesting;
  };
  return [
    uploadRoute(
      routeOf(operations.ingestFromFile, async (request, reply) => {
        const asked = requestOf(request);
        admitWork(request, reply);
        authorizeChange(request, 'file ingested', { table: asked.tableNameWithType });
        const { name, body } = await openUpload(
          request,
          context.options.uploadBytesMax ?? uploadBytesMaxDefault,
        );
        const ingested = await ingest(request, { ...asked, source: { kind: 'bytes', name, body } });
        return sendJson(reply, answerOf(asked.tableNameWithType, ingested));
      }),
    ),
    routeOf(operations.ingestFromUri, async (request, reply) => {
      const asked = requestOf(request);
      const uri = required(request, 'sourceURIStr', 'the address of a file');
      admitWork(request, reply);
      authorizeChange(request, 'file ingested', { table: asked.tableNameWithType, uri });
      const ingested = await ingest(request, { ...asked, source: { kind: 'uri', uri } });
      return sendJson(reply, answerOf(asked.tableNameWithType, ingested));
    }),
  ];
}

/** The default limit on the size of an upload. */
export const uploadBytesMaxDefault = 1024 ** 3;

function requestOf(request: FastifyRequest): Omit<IngestRequest, 'source'> {
  return {
    tableNameWithType: required(request, 'tableNameWithType', 'the name of a table, with type'),
    batchConfig: batchConfigOf(request),
  };
}

function required(request: FastifyRequest, name: string, expected: string): string {
  const text = parameterOf(request, name);
  if (text !== undefined && text !== '') return text;
  throw new QuireError('INVALID_PARAMETER', `${name} is missing; expected ${expected}.`);
}

/** @throws INVALID_PARAMETER when it is not a JSON object of texts, or a member is unknown */
export function batchConfigOf(request: FastifyRequest): Readonly<Record<string, string>> {
  const text = parameterOf(request, 'batchConfigMapStr');
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'batchConfigMapStr is not JSON; expected an object such as {"inputFormat":"csv"}.',
      { cause },
    );
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const odd = isObject
    ? Object.entries(value as object).find(([, member]) => typeof member !== 'string')
    : undefined;
  if (isObject && odd === undefined) {
    const batchConfig = value as Readonly<Record<string, string>>;
    assertBatchMembers(batchConfig, 'batchConfigMapStr');
    return batchConfig;
  }
  const what =
    odd === undefined
      ? 'not an object'
      : `an object whose member '${odd[0].slice(0, 60)}' is not a text`;
  throw new QuireError(
    'INVALID_PARAMETER',
    `batchConfigMapStr is ${what}; expected an object of texts such as {"inputFormat":"csv"}.`,
  );
}

function answerOf(
  tableNameWithType: string,
  { segmentNames, rowCount, findings }: Ingested,
): object {
  return {
    status: `Successfully ingested file into table: ${tableNameWithType} as segments: ${segmentNames.join(', ')}`,
    segmentNames,
    rowCount,
    ...(findings.length > 0 && { findings }),
  };
}
