import { errorResponses, type Operation, responseOf } from './operation.ts';
import { settingsPattern } from '@quire/core/wire';
import { refer } from './reference.ts';
import { SettingsResponse } from './settings-response.ts';

/**
 * The call by which a broker tells its settings. A broker that a program started without a settings
 * file does not have it.
 */
export const settingsOperation: Operation = {
  method: 'GET',
  path: settingsPattern,
  schema: {
    operationId: 'readBrokerSettings',
    summary: 'Read the settings in force',
    description:
      'Those of the process of this broker, with where each comes from. Secrets are hidden. For admins.',
    tags: ['service'],
    response: {
      200: responseOf('The settings.', 'application/json', refer(SettingsResponse)),
      ...errorResponses('FORBIDDEN'),
    },
  },
};
