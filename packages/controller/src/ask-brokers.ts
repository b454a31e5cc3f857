import { isQuireError, type QuireError } from '@quire/core';

/** What one broker has answered, or why it has not. */
export type BrokerOutcome<T> =
  | { readonly url: string; readonly value: T; readonly error?: undefined }
  | { readonly url: string; readonly value?: undefined; readonly error: QuireError };

/** Asks all brokers at once; each answers or fails for itself. @throws only what is not a QuireError: a defect */
export function askBrokers<T>(urls: readonly string[], ask: (url: string) => Promise<T>): Promise<readonly BrokerOutcome<T>[]> {
  return Promise.all(
    urls.map(async (url): Promise<BrokerOutcome<T>> => {
      try {
        return { url, value: await ask(url) };
      } catch (error) {
        if (!isQuireError(error)) throw error;
        return { url, error };
      }
    }),
  );
}
