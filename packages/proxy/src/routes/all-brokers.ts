import { Readable } from 'node:stream';
import { type Operation, proxyOperations, type UsageResponse } from '@quire/api';
import { parseDeletedCount, type WireAnswer } from '@quire/client/wire';
import { isQuireError, QuireError } from '@quire/core';
import { callContextOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { readText } from '../brokers/call-broker.ts';
import { callAll, markPartial, sendRefusal } from '../merge/call-all.ts';
import { mergeLists, type OpenList, openList } from '../merge/merge-lists.ts';
import { type ListShape, splitElements } from '../merge/split-elements.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { proxyRoute } from './forwarded-routes.ts';

/** The number of bytes sent at once. */
const chunkBytes = 65_536;

interface ListCall {
  readonly operation: Operation;
  /** The format of the brokers' lists, and of the proxy's around them. */
  readonly shape: ListShape;
  readonly open: string;
  readonly close: string;
}

const ownList: ListCall = {
  operation: proxyOperations.listResults,
  shape: 'member',
  open: '{"resultMetadataList":[',
  close: ']}',
};
const queryList: ListCall = {
  operation: proxyOperations.listQueries,
  shape: 'member',
  open: '{"queries":[',
  close: ']}',
};
const pinotList: ListCall = {
  operation: proxyOperations.listPinotResponses,
  shape: 'bare',
  open: '[',
  close: ']',
};

/**
 * Creates the routes GET /query/resultStore, GET /queries, and GET /responseStore in Apache Pinot's
 * format: the merged lists of all brokers, newest first, in constant memory. Brokers that do not
 * answer are listed in a header; one that fails later ends the whole answer.
 */
export function listRoutes(context: ProxyContext): readonly RouteOptions[] {
  return [ownList, queryList, pinotList].map((list) => listRoute(context, list));
}

function listRoute(context: ProxyContext, list: ListCall): RouteOptions {
  const read = ({ chunks }: WireAnswer): Promise<OpenList> =>
    openList(splitElements(chunks, list.shape));
  return proxyRoute(context, list.operation, async (request, reply) => {
    // A caller that disconnects ends the lists, even after they are open.
    const call = { method: 'GET', signal: signalOf(request) } as const;
    const { parts, refusal, missing } = await callAll(context, request, call, read);
    const isOnlyHead = refusal !== undefined || request.method === 'HEAD';
    if (isOnlyHead) await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    markPartial(reply, missing);
    reply.headers({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    const body = isOnlyHead ? [] : encodeList(list, parts, request);
    return reply.send(Readable.from(body, { objectMode: false }));
  });
}

async function* encodeList(
  { open, close }: ListCall,
  lists: readonly OpenList[],
  request: FastifyRequest,
): AsyncGenerator<Buffer> {
  try {
    let pieces: Uint8Array[] = [Buffer.from(open)];
    let sizeBytes = 0;
    let isFirst = true;
    for await (const { json } of mergeLists(lists)) {
      if (!isFirst) pieces.push(Buffer.from(','));
      isFirst = false;
      pieces.push(json);
      sizeBytes += json.length;
      if (sizeBytes < chunkBytes) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      sizeBytes = 0;
    }
    pieces.push(Buffer.from(close));
    yield Buffer.concat(pieces);
  } catch (error) {
    const failure = isQuireError(error)
      ? error
      : new QuireError('BROKER_FAILED', "A broker's list ended early.", { cause: error });
    callContextOf(request).failure = failure;
    throw failure;
  }
}

/** GET /query/usage: the sums over all brokers; limited only if every broker limits its part. */
export function readUsageRoute(context: ProxyContext): RouteOptions {
  return proxyRoute(context, proxyOperations.readUsage, async (request, reply) => {
    const call = { method: 'GET', signal: signalOf(request) } as const;
    const { parts, refusal, missing } = await callAll(context, request, call, readUsage);
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    markPartial(reply, missing);
    const sumOf = (valueOf: (usage: UsageResponse) => number): number =>
      parts.reduce((sum, usage) => sum + valueOf(usage), 0);
    const limitOf = (valueOf: (usage: UsageResponse) => number | null): number | null =>
      parts.some((usage) => valueOf(usage) === null) ? null : sumOf((usage) => valueOf(usage) ?? 0);
    const response: UsageResponse = {
      resultCount: sumOf(({ resultCount }) => resultCount),
      usageBytes: sumOf(({ usageBytes }) => usageBytes),
      shareBytes: limitOf(({ shareBytes }) => shareBytes),
      totalUsageBytes: sumOf(({ totalUsageBytes }) => totalUsageBytes),
      quotaBytes: limitOf(({ quotaBytes }) => quotaBytes),
    };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

async function readUsage({ chunks }: WireAnswer): Promise<UsageResponse> {
  const usage = JSON.parse(await readText(chunks, sentenceBytesMax)) as UsageResponse;
  const { resultCount, usageBytes, shareBytes, totalUsageBytes, quotaBytes } = usage;
  const numbers = [resultCount, usageBytes, shareBytes ?? 0, totalUsageBytes, quotaBytes ?? 0];
  if (numbers.every(Number.isFinite)) return usage;
  throw new QuireError('BROKER_FAILED', "A broker's answer is not a usage report.");
}

/** The maximum length of a confirmation. */
const sentenceBytesMax = 1024;

/**
 * DELETE /query/resultStore?expiredBefore=ms: every broker deletes its own. Continues if the caller
 * disconnects, as on a broker.
 */
export function deleteExpiredResultsRoute(
  context: ProxyContext,
  operation: Operation,
): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const { parts, refusal, missing } = await callAll(
      context,
      request,
      { method: 'DELETE' },
      async ({ chunks }) => parseDeletedCount(await readText(chunks, sentenceBytesMax)),
    );
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    markPartial(reply, missing);
    const deletedCount = parts.reduce((sum, count) => sum + count, 0);
    request.log.info(
      { deletedCount, missing: missing.map(({ label }) => label) },
      'expired results deleted',
    );
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Deleted ${deletedCount} expired response(s).`);
  });
}
