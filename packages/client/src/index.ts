export type { PageFormat } from '@quire/api';
export type { Cell, Column } from './cells.ts';
export type { JsonObject } from './json-fields.ts';
export { type JsonValue, parseLosslessJson } from './lossless-json.ts';
export {
  type ClientCallOptions,
  type PageOptions,
  QuireClient,
  type QuireClientOptions,
  type QueryOptions,
} from './quire-client.ts';
export type { BrokerAddress, QueryPage } from './query-page.ts';
export type { StoredResult } from './stored-result.ts';
