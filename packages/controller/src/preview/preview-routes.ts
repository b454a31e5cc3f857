import { controllerOperations, type Operation, parseIntegerParameter } from '@quire/api';
import { type CallOptions, writeLosslessJson } from '@quire/core';
import { traced } from '@quire/core/trace';
import {
  admitWork,
  claimOf,
  countWork,
  openUpload,
  principalOf,
  queryOf,
  routeOf,
  signalOf,
  uploadRoute,
} from '@quire/service';
import {
  checkTableConfig,
  checkTableConfigs,
  checkTableSchema,
  createUploadFinder,
  previewText,
} from '@quire/tables';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody, textBody } from '../object-body.ts';
import {
  type ControllerPreviewOptions,
  type PreviewCall,
  previewDefaults,
} from '../preview-options.ts';
import { batchConfigOf, uploadBytesMaxDefault } from '../tables/ingest-routes.ts';
import { SpooledFile } from './spooled-file.ts';

/**
 * POST /tables/preview: a few at once, since each holds its rows in memory. Files and streams are
 * for admins.
 */
export function previewTableRoute(context: ControllerContext): RouteOptions {
  return routeOf(
    controllerOperations.previewTable,
    async (request, reply) => {
      admitWork(request, reply);
      const mayReadSources = principalOf(request).role === 'admin';
      return sendPreview(context, request, reply, {
        body: request.body as string,
        mayReadSources,
      });
    },
    textBody(optionsOf(context).bodyBytesMax),
  );
}

/**
 * POST /tables/previewFile: the file in the body, whatever its size, is stored on disk and sampled
 * there by ranges. It is deleted after the response.
 */
export function previewFileRoute(context: ControllerContext): RouteOptions {
  const { options } = context;
  return uploadRoute(
    routeOf(controllerOperations.previewFile, async (request, reply) => {
      const rowCount = parseIntegerParameter('numRows', queryOf(request)['numRows']);
      const asked = [queryOf(request)['name']].flat()[0];
      const batchConfig = batchConfigOf(request);
      admitWork(request, reply);
      const { bodyBytesMax, uploadDirectory } = optionsOf(context);
      const isAdmin = principalOf(request).role === 'admin';
      const bytesMax = isAdmin ? (options.uploadBytesMax ?? uploadBytesMaxDefault) : bodyBytesMax;
      const { name: sentName, body } = await openUpload(request, bytesMax);
      const name = asked ?? (sentName === '' ? 'file' : sentName);
      await using file = await SpooledFile.write(body, uploadDirectory, signalOf(request));
      return await sendPreview(context, request, reply, {
        body: JSON.stringify({
          sourceFiles: [name],
          ...(rowCount !== undefined && { config: { sampling: { max: rowCount } } }),
        }),
        mayReadSources: false,
        upload: { path: file.path, name },
        batchConfig,
      });
    }),
  );
}

function optionsOf({ options }: ControllerContext): ControllerPreviewOptions {
  return options.preview ?? previewDefaults;
}

/** Runs a preview when its turn comes, and sends its response. */
async function sendPreview(
  context: ControllerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  call: PreviewCall,
): Promise<FastifyReply> {
  const signal = signalOf(request);
  const preview = async (): Promise<Uint8Array> => {
    const { run, limits, finder, openStream } = optionsOf(context);
    return run === undefined
      ? runHere(call, { signal }, { clock: context.clock, limits, finder, openStream })
      : run(call, { signal });
  };
  // The slot covers the preview, and not the time that its caller takes to read it.
  const previewing = traced('preview', async () => {
    const claim = claimOf(principalOf(request));
    const release = await traced('preview.queue', () =>
      context.previewSlots.acquire(claim, signal),
    );
    try {
      return await preview();
    } finally {
      release();
    }
  });
  countWork(request, previewing);
  const answer = await previewing;
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(answer);
}

async function runHere(
  { body, mayReadSources, upload, batchConfig }: PreviewCall,
  { signal }: CallOptions,
  {
    clock,
    limits,
    finder,
    openStream,
  }: Pick<ControllerPreviewOptions, 'limits' | 'finder' | 'openStream'> &
    Pick<ControllerContext, 'clock'>,
): Promise<Uint8Array> {
  const sources =
    upload !== undefined
      ? { finder: createUploadFinder(upload) }
      : mayReadSources
        ? { finder, openStream }
        : {};
  const pieces: Buffer[] = [];
  const options = { clock, limits, ...sources, batchConfig, signal };
  for await (const piece of await previewText(body, options)) {
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

/** POST /tables/validate, /schemas/validate and /tableConfigs/validate: pure checks of the body. */
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
