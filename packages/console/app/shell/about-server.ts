import { createCall } from '../call.ts';

/** The public facts of a server about itself and its console. */
export interface AboutServer {
  readonly version: string;
  /** True if the tokens of the quickstart are valid. */
  readonly quickstartTokens: boolean;
  /** False if queries cannot reference stored results; absent at servers where they can. */
  readonly readsResults?: boolean;
  /** The languages that queries may select; absent at servers before they were published. */
  readonly dialects?: readonly string[];
  /** True if `/docs` can be read without credentials. */
  readonly docs: boolean;
}

export async function readAboutServer(signal?: AbortSignal): Promise<AboutServer> {
  const about: unknown = await createCall(fetch)('./about.json', { signal });
  return about as AboutServer;
}
