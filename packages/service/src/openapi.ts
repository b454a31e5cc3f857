import swagger from '@fastify/swagger';
import { components } from '@quire/api';
import type { FastifyInstance } from 'fastify';
import type { ServiceDescription } from './service-options.ts';

/** Makes the OpenAPI document from the routes that are added afterwards, with the schemas that they are checked by. */
export async function addOpenApi(server: FastifyInstance, about: ServiceDescription, version: string): Promise<void> {
  for (const schema of [...components, ...(about.components ?? [])]) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        version,
        description: about.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...about.tags],
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
