import { QuireAdminClient, QuireClient, QuireQueryClient } from '@quire/client';
import { createContext, useContext } from 'react';
import { type Call, createCall, createFetch } from './call.ts';
import { createSendFile, type SendFile } from './send-file.ts';
import { readAboutServer } from './shell/about-server.ts';
import { SheetRunners } from './query/sheet-runner.ts';
import { SheetStore } from './query/sheets.ts';
import { ResultDetailsReader } from './results/result-details.ts';

/** A signed-in user, and the calls it may make. */
export interface Session {
  readonly name: string;
  readonly role: 'query' | 'admin';
  /** Sends with the credentials of the session. */
  readonly fetch: typeof fetch;
  readonly client: QuireClient;
  readonly admin: QuireAdminClient;
  readonly call: Call;
  /** True if queries can read stored results, as sorting and filtering by headers do. */
  readonly readsResults: boolean;
  /** The languages that queries may select. */
  readonly dialects: readonly string[];
  readonly sendFile: SendFile;
  readonly sheets: SheetStore;
  readonly runners: SheetRunners;
  readonly details: ResultDetailsReader;
}

/** The token lives as long as the tab, and in no other. */
const storageKey = 'quire.token';

export function readStoredToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, token);
}

/** Finds the principal of a token. @throws CallError UNAUTHENTICATED when the token is not valid */
export async function openSession(token: string, onRefused: () => void): Promise<Session> {
  const authorization = `Bearer ${token}`;
  const withoutRefusals = createFetch(authorization, () => undefined);
  const [caller, { readsResults = true, dialects = [] }] = await Promise.all([
    createCall(withoutRefusals)('/whoami') as Promise<unknown> as Promise<
      Pick<Session, 'name' | 'role'>
    >,
    readAboutServer(),
  ]);
  // A late answer to an earlier session, such as about its running query, does not end this one.
  const onOwnRefused = (): void => {
    if (readStoredToken() === token) onRefused();
  };
  const send = createFetch(authorization, onOwnRefused);
  // Users of a page expect an error sooner than programs do: after some three seconds.
  const options = {
    baseUrl: location.origin,
    fetch: send,
    retry: { attemptsMax: 5 },
  };
  const client = new QuireClient(options);
  const call = createCall(send);
  return {
    name: caller.name,
    role: caller.role,
    fetch: send,
    client,
    admin: new QuireAdminClient(options),
    call,
    readsResults,
    dialects,
    sendFile: createSendFile(authorization, onOwnRefused),
    sheets: new SheetStore(caller.name),
    runners: new SheetRunners(client, new QuireQueryClient(options)),
    details: new ResultDetailsReader(call),
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session; absent only on the sign-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session.');
  return session;
}
