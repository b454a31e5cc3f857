/** What a server tells everybody of itself and its console. */
export interface AboutServer {
  readonly version: string;
  /** Whether the tokens of the quickstart let one in. */
  readonly quickstartTokens: boolean;
  /** Whether queries can reference stored results; servers that do not say so let them. */
  readonly readsResults?: boolean;
  /** Whether `/docs` can be read without credentials. */
  readonly docs: boolean;
}

export async function readAboutServer(signal?: AbortSignal): Promise<AboutServer> {
  const response = await fetch('./about.json', { ...(signal !== undefined && { signal }) });
  return (await response.json()) as AboutServer;
}
