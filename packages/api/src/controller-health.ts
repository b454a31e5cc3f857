import { type Static, Type } from 'typebox';

/** What a controller says of itself to whoever asks; it holds no secrets and names no broker. */
export const ControllerHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'], description: 'ok: the controller accepts calls.' }),
    version: Type.String({ description: 'Version of the server.' }),
    uptimeMs: Type.Integer({ minimum: 0, description: 'For how long it has been up, in milliseconds.' }),
    workers: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 0, description: 'Processes that there are, with or without a preview.' }),
          busyCount: Type.Integer({ minimum: 0, description: 'Processes that run a preview, or are about to end with one.' }),
          killedCount: Type.Integer({
            minimum: 0,
            description: 'Processes that ended with their preview since the start: over their time or memory, or by a crash.',
          }),
        },
        { description: 'The processes that previews run in.' },
      ),
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'What is wrong with the settings file as it is now; the last good settings hold.',
      }),
    ),
  },
  { $id: 'ControllerHealthResponse', description: 'The controller is alive.' },
);

export type ControllerHealthResponse = Static<typeof ControllerHealthResponse>;
