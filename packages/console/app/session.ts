import { QuireAdminClient, QuireClient, QuireQueryClient } from '@quire/client';
import { createContext, useContext } from 'react';
import { type Call, createCall, createFetch } from './call.ts';
import { createSendFile, type SendFile } from './send-file.ts';
import { readAboutServer } from './shell/about-server.ts';
import { SheetRunners } from './query/sheet-runner.ts';
import { SheetStore } from './query/sheets.ts';
import { ResultDetailsReader } from './results/result-details.ts';

/** Somebody who is signed in, and what they can call. */
export interface Session {
  readonly name: string;
  readonly role: 'query' | 'admin';
  /** Sends with the credentials of the session. */
  readonly fetch: typeof fetch;
  readonly client: QuireClient;
  readonly admin: QuireAdminClient;
  readonly call: Call;
  /** Whether queries can read stored results, as sorting and filtering by heads does. */
  readonly readsResults: boolean;
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

/** Finds out who a token is for. @throws CallError UNAUTHENTICATED when it is for nobody */
export async function openSession(token: string, onRefused: () => void): Promise<Session> {
  const authorization = `Bearer ${token}`;
  const withoutRefusals = createFetch(authorization, () => undefined);
  const [caller, { readsResults = true }] = await Promise.all([
    createCall(withoutRefusals)('/whoami') as Promise<unknown> as Promise<
      Pick<Session, 'name' | 'role'>
    >,
    readAboutServer(),
  ]);
  const send = createFetch(authorization, onRefused);
  // Who looks at a page wants to be told sooner than a program does: after some three seconds.
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
    sendFile: createSendFile(authorization, onRefused),
    sheets: new SheetStore(caller.name),
    runners: new SheetRunners(client, new QuireQueryClient(options)),
    details: new ResultDetailsReader(call),
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in; only below the page where one signs in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('Nobody is signed in.');
  return session;
}
