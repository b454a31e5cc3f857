import { controllerOperations, type Operation } from '@quire/api';
import { type CallOptions, writeLosslessJson } from '@quire/core';
import { admitWork, claimOf, countWork, principalOf, routeOf, signalOf } from '@quire/service';
import { checkTableConfig, checkTableConfigs, checkTableSchema, previewText } from '@quire/tables';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody, textBody } from '../object-body.ts';
import {
  type ControllerPreviewOptions,
  type PreviewCall,
  previewDefaults,
} from '../preview-options.ts';

/**
 * POST /tables/preview: a few at once, since each holds its rows in memory. Files and streams are
 * for admins.
 */
export function previewTableRoute({
  options,
  clock,
  previewSlots,
}: ControllerContext): RouteOptions {
  const previewOptions = () => options.preview ?? previewDefaults;
  return routeOf(
    controllerOperations.previewTable,
    async (request, reply) => {
      admitWork(request, reply);
      const principal = principalOf(request);
      const signal = signalOf(request);
      const call = { body: request.body as string, mayReadSources: principal.role === 'admin' };
      const preview = async (): Promise<Uint8Array> => {
        const { run, limits, finder, openStream } = previewOptions();
        return run === undefined
          ? runHere(call, { signal }, { clock, limits, finder, openStream })
          : run(call, { signal });
      };
      // The slot covers the preview, and not the time that its caller takes to read it.
      const previewing = previewSlots.run(claimOf(principal), preview, signal);
      countWork(request, previewing);
      const answer = await previewing;
      return reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(answer);
    },
    textBody(previewOptions().bodyBytesMax),
  );
}

async function runHere(
  { body, mayReadSources }: PreviewCall,
  { signal }: CallOptions,
  {
    clock,
    limits,
    finder,
    openStream,
  }: Pick<ControllerPreviewOptions, 'limits' | 'finder' | 'openStream'> &
    Pick<ControllerContext, 'clock'>,
): Promise<Uint8Array> {
  const sources = mayReadSources ? { finder, openStream } : {};
  const pieces: Buffer[] = [];
  for await (const piece of await previewText(body, { clock, limits, ...sources, signal })) {
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

/**
 * POST /tables/validate, /schemas/validate and /tableConfigs/validate: pure checks of what the body
 * holds.
 */
export function validateRoutes({ options }: ControllerContext): readonly RouteOptions[] {
  const body = objectBody(options.bodyBytesMax, () => options.preview?.limits.digitsMax);
  const route = (operation: Operation, check: (document: unknown) => object): RouteOptions =>
    routeOf(
      operation,
      async (request, reply) =>
        reply
          .header('cache-control', 'no-store')
          .type('application/json; charset=utf-8')
          .send(writeLosslessJson(check(request.body))),
      body,
    );
  return [
    route(controllerOperations.validateTable, checkTableConfig),
    route(controllerOperations.validateSchema, checkTableSchema),
    route(controllerOperations.validateTableConfigs, checkTableConfigs),
  ];
}
