import { QuireAdminClient, QuireClient, QuireQueryClient } from '@quire/client';
import { createContext, useContext } from 'react';
import { type Call, createCall } from './call.ts';
import { QueryRunner } from './query/query-runner.ts';
import { Owners } from './results/owners.ts';

/** Somebody who is signed in, and what they can call. */
export interface Session {
  readonly name: string;
  readonly role: 'query' | 'admin';
  readonly authorization: string;
  readonly client: QuireClient;
  readonly admin: QuireAdminClient;
  readonly call: Call;
  readonly runner: QueryRunner;
  readonly owners: Owners;
}

/** The token lives as long as the tab, and in no other. */
const storageKey = 'quire.token';

export function readKeptToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, token);
}

/** Finds out who a token is for. @throws CallError UNAUTHENTICATED when it is for nobody */
export async function openSession(token: string, onRefused: () => void): Promise<Session> {
  const authorization = `Bearer ${token}`;
  const caller = (await createCall(authorization, () => undefined)('/whoami')) as {
    readonly name: string;
    readonly role: 'query' | 'admin';
  };
  // Without this the browser would ask for a password by itself where a token is refused.
  const fetchWithout: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'omit' });
    if (response.status === 401) onRefused();
    return response;
  };
  // Who looks at a page wants to be told sooner than a program does: after some three seconds.
  const options = {
    baseUrl: location.origin,
    token,
    fetch: fetchWithout,
    retry: { attemptsMax: 5 },
  };
  const client = new QuireClient(options);
  const call = createCall(authorization, onRefused);
  return {
    name: caller.name,
    role: caller.role,
    authorization,
    client,
    admin: new QuireAdminClient(options),
    call,
    runner: new QueryRunner(client, new QuireQueryClient(options)),
    owners: new Owners(call),
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in; only below the page where one signs in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('Nobody is signed in.');
  return session;
}
