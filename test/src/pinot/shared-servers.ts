import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { SharedServers } from './global-setup.ts';

/**
 * Apache Pinot and Apache Kafka of this folder's suites: started for the first of them that is
 * loaded, while others run.
 */
export const sharedServers = JSON.parse(
  await text(connect(inject('sharedServersPort'), '127.0.0.1')),
) as SharedServers;
