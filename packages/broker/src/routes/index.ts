import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { deleteExpiredResultsRoute } from './delete-expired-results.ts';
import { deleteResultRoute } from './delete-result.ts';
import { listResultsRoute } from './list-results.ts';
import { readLinkRoute } from './read-link.ts';
import { readHealthRoute } from './read-health.ts';
import { readMetadataRoute } from './read-metadata.ts';
import { readPageRoute } from './read-page.ts';
import { renewResultRoute } from './renew-result.ts';
import { runQueryRoute } from './run-query.ts';

/** All routes of a broker with these options, besides those that every service has. */
export function brokerRoutes(context: BrokerContext): readonly RouteOptions[] {
  return [
    runQueryRoute(context),
    readPageRoute(context),
    readMetadataRoute(context),
    listResultsRoute(context),
    deleteResultRoute(context),
    deleteExpiredResultsRoute(context),
    renewResultRoute(context),
    ...(context.options.links === undefined ? [] : [readLinkRoute(context, context.options.links)]),
    readHealthRoute(context),
  ];
}
