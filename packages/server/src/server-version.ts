import { readVersion } from '@quire/core/process';

/**
 * The version of this package. In the bundle of the command its module is one folder below the
 * manifest too, that of the command, which has the same version.
 */
export const serverVersion = readVersion(new URL('../package.json', import.meta.url));
