import swagger from '@fastify/swagger';
import { components } from '@quire/api';
import type { FastifyInstance } from 'fastify';

/** Makes the OpenAPI document from the routes that are added afterwards, with the schemas that they are checked by. */
export async function addOpenApi(server: FastifyInstance, version: string): Promise<void> {
  for (const schema of components) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Quire broker',
        version,
        description:
          'Runs a query once, keeps its whole answer, and serves any page of it. Integers in rows keep all their digits: use a ' +
          'JSON parser that does so too. Every response whose status is not 2xx has the body ErrorBody. All paths take a trailing slash.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'query', description: 'Run queries and read their results.' },
        { name: 'results', description: 'Handle stored results.' },
        { name: 'service', description: 'Watch the broker and read about it.' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
          basic: { type: 'http', scheme: 'basic', description: 'The name of a principal, and its password or token.' },
        },
      },
      security: [{ bearer: [] }, { basic: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) => (json['$id'] as string | undefined) ?? `Schema${index}`,
    },
  });
}
