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
