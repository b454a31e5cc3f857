/** Gives the Authorization of outgoing calls. */
export interface AuthorizationProvider {
  /**
   * The value of the header, or undefined to send none.
   *
   * `refused` is a value that a server has just refused: the answer is then looked up again, and
   * may still be the same.
   */
  authorization(options?: { readonly refused?: string | undefined }): Promise<string | undefined>;
}

/** Sends no Authorization. */
export const noAuthorization: AuthorizationProvider = { authorization: async () => undefined };

/**
 * Sends a call, and sends it again with a value that was looked up again if the first is refused with
 * status 401. `discard` lets go of the first answer.
 */
export async function sendAuthorized<Answer>(
  provider: AuthorizationProvider,
  send: (authorization: string | undefined) => Promise<Answer>,
  {
    statusOf,
    discard,
  }: {
    readonly statusOf: (answer: Answer) => number;
    readonly discard?: (answer: Answer) => Promise<void>;
  },
): Promise<Answer> {
  const first = await provider.authorization();
  const answer = await send(first);
  if (statusOf(answer) !== 401) return answer;
  const second = await provider.authorization({ refused: first });
  if (second === first) return answer;
  await discard?.(answer);
  return send(second);
}
