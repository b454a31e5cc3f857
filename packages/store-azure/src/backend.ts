import type { StoreBackend } from '@quire/core';
import { bucketLocations } from '@quire/core/bucket';
import { boolean, httpUrl, optionalSetting, setting, text } from '@quire/core/settings';

const settings = {
  account: optionalSetting({
    key: 'engine.broker.pagination.azure.account',
    kind: text(/^[a-z0-9]{3,24}$/, 'the name of a storage account'),
    meaning: 'The storage account of the container. Without it: that of the connection string.',
  }),
  accountKey: optionalSetting({
    key: 'engine.broker.pagination.azure.account.key',
    kind: text(/^[A-Za-z0-9+/]{16,256}={0,2}$/, 'a key of a storage account, in base64'),
    secret: true,
    requires: ['engine.broker.pagination.azure.account'],
    meaning:
      'A key of that account, which can sign links as well. Without it: a shared access signature, or a connection string.',
  }),
  sasToken: optionalSetting({
    key: 'engine.broker.pagination.azure.sas.token',
    kind: text(/^\??\S{16,2048}$/, 'a shared access signature'),
    secret: true,
    requires: ['engine.broker.pagination.azure.account'],
    meaning:
      'A shared access signature of the account or the container with the permissions to read, create, write, delete and list. It cannot sign links.',
  }),
  connectionString: optionalSetting({
    key: 'engine.broker.pagination.azure.connection.string',
    kind: text(/^\w+=[^\p{C}]{16,4096}$/u, 'a connection string of a storage account'),
    secret: true,
    meaning: 'Account, key and endpoint in one text, instead of the other settings.',
  }),
  endpoint: optionalSetting({
    key: 'engine.broker.pagination.azure.endpoint',
    kind: httpUrl,
    meaning:
      'The URL of the blob service, such as that of another Microsoft cloud or of an emulator. Without it: `https://<account>.blob.core.windows.net`.',
  }),
  pathStyle: setting({
    key: 'engine.broker.pagination.azure.path.style',
    kind: boolean,
    default: 'false',
    meaning: "Puts the account's name into the path of URLs, as emulators require.",
  }),
};

/** Stores results in a container of Azure Blob Storage. */
export const azureBackend: StoreBackend<typeof settings> = {
  name: 'azure',
  storeType: 'azure',
  title: 'Azure Blob Storage',
  locations: bucketLocations('az'),
  settings,
  isRemote: true,
  signsLinks: true,
  isShared: () => true,
  async open(location, values, opening) {
    const { account, accountKey, sasToken, connectionString, endpoint, pathStyle } = values;
    const { AzureObjectStore } = await import('./store.ts');
    return AzureObjectStore.open({
      location,
      pathStyle,
      ...(account !== undefined && { account }),
      ...(accountKey !== undefined && { accountKey }),
      ...(sasToken !== undefined && { sasToken }),
      ...(connectionString !== undefined && { connectionString }),
      ...(endpoint !== undefined && { endpoint }),
      ...opening,
    });
  },
};
