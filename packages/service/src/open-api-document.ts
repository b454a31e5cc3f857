import { components } from '@quire/api';
import type { ApiDocument } from '@quire/api/docs';
import fastify, { type FastifyServerOptions, type RouteOptions } from 'fastify';
import { completeDocument } from './complete-document.ts';
import type { ServiceDescription } from './service-options.ts';

/**
 * Compilers that do not check anything. Bodies are written with all digits: no serialiser may drop
 * or round anything. Without them, Fastify would load its own compilers.
 */
export const withoutCompilers = {
  buildValidator: () => () => (value: unknown) => ({ value }),
  buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
};

/**
 * Returns the option of Fastify for compilers. Its declared types are those of Fastify's own
 * compilers.
 */
export function compiling(
  compilers: object,
): NonNullable<FastifyServerOptions['schemaController']> {
  return { compilersFactory: compilers };
}

/** The OpenAPI document of a service, with the schemas that validate its bodies. */
export class OpenApiDocument {
  readonly #routes: readonly RouteOptions[];
  readonly #about: ServiceDescription;
  readonly #version: string;
  #document: Promise<ApiDocument> | undefined;

  constructor(routes: readonly RouteOptions[], about: ServiceDescription, version: string) {
    this.#routes = routes;
    this.#about = about;
    this.#version = version;
  }

  /** Returns the document, which is created when it is first requested. */
  read(): Promise<ApiDocument> {
    this.#document ??= this.#create().catch((error: unknown) => {
      this.#document = undefined; // the next request tries again
      throw error;
    });
    return this.#document;
  }

  async #create(): Promise<ApiDocument> {
    const { default: swagger } = await import('@fastify/swagger');
    const about = this.#about;
    // This server receives no calls: the plug-in collects routes as they are added.
    const server = fastify({ schemaController: compiling(withoutCompilers) });
    for (const schema of [...components, ...(about.components ?? [])]) server.addSchema(schema);
    await server.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: about.title,
          version: this.#version,
          description: about.description,
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        tags: [...about.tags],
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
            basic: {
              type: 'http',
              scheme: 'basic',
              description: 'The name of a principal, and its password or token.',
            },
          },
        },
        security: [{ bearer: [] }, { basic: [] }],
      },
      transformObject: (object) =>
        'openapiObject' in object ? completeDocument(object.openapiObject) : object.swaggerObject,
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          (json['$id'] as string | undefined) ?? `Schema${index}`,
      },
    });
    for (const route of this.#routes) server.route(route);
    await server.ready();
    return server.swagger() as unknown as ApiDocument;
  }
}
