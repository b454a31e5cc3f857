/* What a page bundles that runs queries. */
export { QuireClient } from '@quire/client';
