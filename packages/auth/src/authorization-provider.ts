/** Supplies the Authorization of outgoing calls. */
export interface AuthorizationProvider {
  /**
   * Returns the value of the header, or undefined to send none.
   *
   * `refused` is a value that a server has just refused: the value is then read again, and may be
   * unchanged.
   */
  authorization(options?: { readonly refused?: string | undefined }): Promise<string | undefined>;
}

/** Sends no Authorization. */
export const noAuthorization: AuthorizationProvider = { authorization: async () => undefined };

/**
 * Sends a call, and resends it with a newly read value if the first is refused with status 401.
 * `discard` releases the first answer.
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
  const second = await provider.authorization({ refused: first }).catch(async (error: unknown) => {
    await discard?.(answer);
    throw error;
  });
  if (second === first) return answer;
  await discard?.(answer);
  return send(second);
}
